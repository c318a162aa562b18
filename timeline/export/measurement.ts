import { check, type Static, Type } from "../../config/schema.ts";

/**
 * What a farm node found when it laid a composition's page out for an export: where each picture
 * is without the edits' transforms, what the media are, and what the added texts look like.
 */
const number = Type.Number();
const size = Type.Object({ width: number, height: number });
const Matrix = Type.Tuple([number, number, number, number, number, number]);

const Place = Type.Object({
  /** From what is around the element to the canvas. */
  around: Matrix,
  /** The author's own transform of the element, in what is around it. */
  authored: Matrix,
  /** Of the element's corner without any transform, in the canvas. */
  left: number,
  top: number,
  box: size,
  /** Of the picture in its own pixels; 0 where there is none. */
  picture: size,
  /** From the picture's pixels to the element's. */
  fit: Type.Object({ x: number, y: number, scaleX: number, scaleY: number }),
  /** Shares of the picture that its box and what is around it cut off. */
  cut: Type.Object({ left: number, top: number, right: number, bottom: number }),
  /** Its own and that of all around it. */
  opacity: number,
  /** Two numbers for each layer of painting, from the outermost: z-index and order. */
  paintOrder: Type.Array(number, { maxItems: 200 }),
  /** Styles that no edit list has, by name. */
  styles: Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 }),
});
export type Place = Static<typeof Place>;

const MeasuredMedia = Type.Object({
  width: Type.Optional(number),
  height: Type.Optional(number),
  seconds: Type.Optional(number),
  /** Of its sound; 0 when it has none. */
  channels: Type.Optional(number),
  /** Of its first picture, where the file says one. */
  timecode: Type.Optional(Type.String({ maxLength: 11 })),
  frameRate: Type.Optional(number),
});
export type MeasuredMedia = Static<typeof MeasuredMedia>;

const MeasuredText = Type.Object({
  id: Type.String(),
  box: size,
  /** From the top of the box to the letters' first line. */
  baseline: number,
  lines: Type.Array(Type.String()),
  /** Red, green and blue from 0 to 255, alpha from 0 to 1. */
  color: Type.Tuple([number, number, number, number]),
  /** A PNG in base64: the box with so many pixels more on each side. */
  picture: Type.Optional(Type.String()),
  margin: number,
});
export type MeasuredText = Static<typeof MeasuredText>;

const Measurement = Type.Object({
  /** As a render has it: with the lengths of all media. */
  timeline: Type.Unknown(),
  /** Seconds, when only the page's animation knows them. */
  duration: Type.Optional(number),
  places: Type.Record(Type.String(), Place),
  /** By the source's name. */
  media: Type.Record(Type.String(), MeasuredMedia),
  texts: Type.Array(MeasuredText),
  warnings: Type.Array(Type.String()),
});
export type Measurement = Static<typeof Measurement>;
export const isMeasurement = check<Measurement>(Measurement);

/** What a farm node is asked for; task kind `measure`. */
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
