import { check, type Static, Type } from "../../config/schema.ts";

/**
 * What a farm node found when it laid a composition's page out for an export: where each picture
 * is without the edits' transforms, what the media are, and what the added texts look like.
 */
const number = Type.Number();
const size = Type.Object({ width: number, height: number });
const Matrix = Type.Tuple([number, number, number, number, number, number]);

const Place = Type.Object({
  /** Map from what surrounds the element to the canvas. */
  around: Matrix,
  /** The author's own transform of the element, within what surrounds it. */
  authored: Matrix,
  /** Position in the canvas of the element's corner without any transform. */
  left: number,
  top: number,
  box: size,
  /** Size of the picture in its own pixels; 0 where there is none. */
  picture: size,
  /** Map from the picture's pixels to the element's. */
  fit: Type.Object({ x: number, y: number, scaleX: number, scaleY: number }),
  /** Shares of the picture that its box and its surroundings cut off. */
  cut: Type.Object({ left: number, top: number, right: number, bottom: number }),
  /** Opacity, including that of all surrounding elements. */
  opacity: number,
  /** Two numbers for each layer of painting, from the outermost: z-index and order. */
  paintOrder: Type.Array(number, { maxItems: 200 }),
  /** Names of styles that no edit list has. */
  styles: Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 }),
});
export type Place = Static<typeof Place>;

const MeasuredMedia = Type.Object({
  width: Type.Optional(number),
  height: Type.Optional(number),
  seconds: Type.Optional(number),
  /** Number of sound channels; 0 when there is no sound. */
  channels: Type.Optional(number),
  /** Timecode of the first picture, where the file has one. */
  timecode: Type.Optional(Type.String({ maxLength: 11 })),
  frameRate: Type.Optional(number),
});
export type MeasuredMedia = Static<typeof MeasuredMedia>;

const MeasuredText = Type.Object({
  id: Type.String(),
  box: size,
  /** Distance from the top of the box to the baseline of the first line. */
  baseline: number,
  lines: Type.Array(Type.String()),
  /** Red, green and blue from 0 to 255, alpha from 0 to 1. */
  color: Type.Tuple([number, number, number, number]),
  /** PNG in base64 of the box with `margin` pixels more on each side. */
  picture: Type.Optional(Type.String()),
  margin: number,
});
export type MeasuredText = Static<typeof MeasuredText>;

const Measurement = Type.Object({
  /** Timeline as a render has it: with the lengths of all media. */
  timeline: Type.Unknown(),
  /** Length in seconds, when only the page's animation knows it. */
  duration: Type.Optional(number),
  places: Type.Record(Type.String(), Place),
  /** Media by the source's name. */
  media: Type.Record(Type.String(), MeasuredMedia),
  texts: Type.Array(MeasuredText),
  warnings: Type.Array(Type.String()),
});
export type Measurement = Static<typeof Measurement>;
export const isMeasurement = check<Measurement>(Measurement);

/** Input of a farm node's task of kind `measure`. */
export const MeasureInput = Type.Object(
  {
    manifestKey: Type.String({ minLength: 1, maxLength: 1_024 }),
    assets: Type.Record(
      Type.String(),
      Type.Object({ objectKey: Type.String(), mimeType: Type.String() }),
    ),
    drawsTexts: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type MeasureInput = Static<typeof MeasureInput>;
