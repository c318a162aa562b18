import { check, type Static, Type } from "../config/schema.ts";

/**
 * The edits of a studio, `klieg-edits.json`: what they may hold and when they are wrong. Members
 * that are not known here are left alone.
 */
export const overlayPath = "klieg-edits.json";

const number = Type.Number({ minimum: -1_000_000, maximum: 1_000_000 });
const seconds = Type.Number({ minimum: -86_400, maximum: 86_400 });
const span = Type.Number({ exclusiveMinimum: 0, maximum: 86_400 });
const amount = Type.Number({ minimum: -1, maximum: 1 });
const share = Type.Number({ minimum: 0, maximum: 1 });
const scale = Type.Number({ minimum: 0, maximum: 1_000 });
const point = Type.Tuple([number, number]);
const optional = Type.Optional;

const Transform = Type.Object({
  x: optional(number),
  y: optional(number),
  scale: optional(scale),
  rotation: optional(number),
  opacity: optional(share),
  anchor_x: optional(number),
  anchor_y: optional(number),
});

export const eases = ["linear", "hold", "ease_in", "ease_out", "ease_in_out"] as const;

const Keyframe = Type.Object({
  t: seconds,
  x: optional(number),
  y: optional(number),
  scale: optional(scale),
  rotation: optional(number),
  opacity: optional(share),
  ease: optional(Type.Enum([...eases])),
});
const Motion = Type.Array(Keyframe, { maxItems: 10_000 });

const feathers = { feather: optional(Type.Number({ minimum: 0, maximum: 10_000 })) };
const inverted = { inverted: optional(Type.Boolean()) };
const Mask = Type.Union([
  Type.Object({
    shape: Type.Enum(["rect", "ellipse"]),
    points: Type.Array(point, { minItems: 2, maxItems: 2 }),
    ...feathers,
    ...inverted,
  }),
  Type.Object({
    shape: Type.Enum(["path"]),
    points: Type.Array(point, { minItems: 3, maxItems: 1_000 }),
    ...feathers,
    ...inverted,
  }),
]);

const Grade = Type.Object({
  preset: optional(Type.String({ maxLength: 100 })),
  intensity: optional(share),
  exposure: optional(amount),
  contrast: optional(amount),
  saturation: optional(amount),
  temperature: optional(amount),
  tint: optional(amount),
  highlights: optional(amount),
  shadows: optional(amount),
  lut_path: optional(Type.String({ maxLength: 512 })),
});

const ClipEdit = Type.Object({
  start: optional(seconds),
  duration: optional(span),
  media_start: optional(Type.Number({ minimum: 0, maximum: 86_400 })),
  track_index: optional(Type.Integer({ minimum: -1_000, maximum: 1_000 })),
  playback_rate: optional(Type.Number({ minimum: 0.1, maximum: 5 })),
  volume: optional(share),
  hidden: optional(Type.Boolean()),
  transform: optional(Transform),
  motion: optional(Motion),
  mask: optional(Mask),
  grade: optional(Grade),
});

const TrackEdit = Type.Object({
  enabled: optional(Type.Boolean()),
  muted: optional(Type.Boolean()),
  locked: optional(Type.Boolean()),
});

const AddedText = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200 }),
  text: Type.String({ maxLength: 10_000 }),
  start: seconds,
  duration: span,
  track_index: optional(Type.Integer({ minimum: -1_000, maximum: 1_000 })),
  x: optional(number),
  y: optional(number),
  width: optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
  font_family: optional(Type.String({ maxLength: 200 })),
  font_size: optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
  font_weight: optional(
    Type.Union([Type.Number({ minimum: 1, maximum: 1_000 }), Type.Enum(["normal", "bold"])]),
  ),
  color: optional(Type.String({ maxLength: 100 })),
  align: optional(Type.Enum(["left", "center", "right"])),
  motion: optional(Motion),
});

const Overlay = Type.Object({
  version: Type.Enum([1]),
  tracks: optional(Type.Record(Type.String(), TrackEdit)),
  clips: optional(Type.Record(Type.String(), ClipEdit)),
  texts: optional(Type.Array(AddedText, { maxItems: 1_000 })),
  deleted: optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 10_000 })),
});

export type Overlay = Static<typeof Overlay>;
export type ClipEdit = Static<typeof ClipEdit>;
export type TransformEdit = Static<typeof Transform>;
export type KeyframeEdit = Static<typeof Keyframe>;
export type MaskEdit = Static<typeof Mask>;
export type GradeEdit = Static<typeof Grade>;
export type AddedText = Static<typeof AddedText>;
const isOverlay = check<Overlay>(Overlay);

/** Reads the file's content, or returns why it cannot be used: `is ignored: ...`. */
export function readOverlay(text: string): Overlay | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: "is not valid JSON" };
  }
  if (isOverlay(value)) return wrongTrack(value) ?? value;
  const [first] = isOverlay.faults(value);
  return { fault: `${first?.pointer || "the whole"} ${first?.detail ?? "is wrong"}` };
}

function wrongTrack({ tracks = {} }: Overlay): { readonly fault: string } | undefined {
  const wrong = Object.keys(tracks).find((index) => !/^-?\d{1,4}$/.test(index));
  return wrong === undefined ? undefined : { fault: `/tracks/${wrong} is not a track index` };
}
