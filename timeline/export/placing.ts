import type { Clip, TextClip } from "../model.ts";
import { type Pose, poseAt } from "../motion.ts";
import {
  type Curve,
  computeCurve,
  listStretches,
  type Member,
  type Stretch,
  type ValueIn,
} from "./curve.ts";
import { type Crop, type EditMask, editFps, type PoseCurves } from "./edit-list.ts";
import {
  apply,
  createScaling,
  decomposeMatrix,
  type Matrix,
  product,
  rotation,
  translation,
} from "./matrix.ts";
import type { Place } from "./measurement.ts";

/**
 * Where a picture is over the time of its clip: the edits' transform, as `film/page/shown-clips.ts`
 * applies it, between what is around the element and the author's own transform.
 */
export interface Placing {
  readonly pose: PoseCurves;
  readonly crop: Crop | undefined;
  readonly mask: EditMask | undefined;
  /** What the picture has but no edit list does, worded as the ends of sentences. */
  readonly lacks: readonly string[];
}

/** Differences in pixels, degrees and shares that cannot be seen. */
const tolerance = { position: 0.05, scale: 0.0005, rotation: 0.02, opacity: 0.002 };

interface Spot {
  readonly around: Matrix;
  /** Map from the picture's pixels to what surrounds the element. */
  readonly inside: Matrix;
  readonly anchor: readonly [x: number, y: number];
  /** The picture's middle, in its own pixels. */
  readonly middle: readonly [x: number, y: number];
  readonly opacity: number;
}

type Moved = Pick<Clip, "transform" | "motion">;

/** Places a media clip for so many seconds; `undefined` when its picture has no size. */
export function placeClip(clip: Clip, place: Place, seconds: number): Placing | undefined {
  const { picture, fit, box, cut, around, authored, opacity } = place;
  if (!(picture.width > 0 && picture.height > 0 && fit.scaleX > 0 && fit.scaleY > 0))
    return undefined;
  const fitted = product(translation(fit.x, fit.y), createScaling(fit.scaleX, fit.scaleY));
  const inside = product(authored, fitted);
  const anchorX = (clip.transform?.anchor_x ?? 0.5) * box.width;
  const anchorY = (clip.transform?.anchor_y ?? 0.5) * box.height;
  const middle = [picture.width / 2, picture.height / 2] as const;
  const spot: Spot = { around, inside, anchor: [anchorX, anchorY], middle, opacity };
  const whole = decomposeMatrix(product(around, inside));
  const mask = clip.mask && maskIn(clip, place);
  return {
    pose: computeCurves(spot, clip, seconds),
    crop: Object.values(cut).some((share) => share > 0.0005) ? cut : undefined,
    mask,
    lacks: [
      ...(whole.isSlanted ? ["is slanted or in perspective, which is left out"] : []),
      ...place.styles.map((style) => `has the style ${style}, which is left out`),
    ],
  };
}

/** Centres a clip on the canvas as large as fits, where its page could not be laid out. */
export function centreClip(
  clip: Moved,
  canvas: { readonly width: number; readonly height: number },
  picture: { readonly width: number; readonly height: number },
  seconds: number,
): PoseCurves {
  const scale = Math.min(canvas.width / picture.width, canvas.height / picture.height);
  const left = (canvas.width - picture.width * scale) / 2;
  const top = (canvas.height - picture.height * scale) / 2;
  const width = picture.width * scale;
  const height = picture.height * scale;
  const spot: Spot = {
    around: translation(left, top),
    inside: createScaling(scale, scale),
    anchor: [(clip.transform?.anchor_x ?? 0.5) * width, (clip.transform?.anchor_y ?? 0.5) * height],
    middle: [picture.width / 2, picture.height / 2],
    opacity: 1,
  };
  return computeCurves(spot, clip, seconds);
}

/** Places a text about the middle of its box. */
export function placeText(
  { x, y, motion }: TextClip,
  box: { readonly width: number; readonly height: number },
  opacity: number,
  seconds: number,
): PoseCurves {
  const anchor = [box.width / 2, box.height / 2] as const;
  const spot: Spot = {
    around: translation(x, y),
    inside: createScaling(1, 1),
    anchor,
    middle: anchor,
    opacity,
  };
  return computeCurves(spot, { transform: undefined, motion }, seconds);
}

function computeCurves(spot: Spot, { transform, motion }: Moved, seconds: number): PoseCurves {
  const own = decomposeMatrix(product(spot.around, spot.inside));
  const posed = (stretch: Stretch, at: number): Pose => poseAt(transform, stretch.keyframes, at);
  const position = (stretch: Stretch, at: number): readonly number[] => {
    const { x, y, scale, rotation: turn } = posed(stretch, at);
    const [ax, ay] = spot.anchor;
    const edit = product(
      translation(x + ax, y + ay),
      rotation(turn),
      createScaling(scale, scale),
      translation(-ax, -ay),
    );
    return apply(product(spot.around, edit, spot.inside), spot.middle);
  };
  const scale = (stretch: Stretch, at: number): readonly number[] => {
    const factor = posed(stretch, at).scale;
    return [roundTo(own.scaleX, 5) * factor, roundTo(own.scaleY, 5) * factor];
  };
  const turn = (stretch: Stretch, at: number): readonly number[] => [
    roundTo(own.rotation, 3) + posed(stretch, at).rotation,
  ];
  const opacity = (stretch: Stretch, at: number): readonly number[] => [
    spot.opacity * posed(stretch, at).opacity,
  ];
  const curve = (members: readonly Member[], value: ValueIn, unseen: number): Curve =>
    computeCurve(listStretches(motion, members, seconds), value, editFps, unseen);
  return {
    position: curve(["x", "y", "scale", "rotation"], position, tolerance.position),
    scale: curve(["scale"], scale, tolerance.scale),
    rotation: curve(["rotation"], turn, tolerance.rotation),
    opacity: curve(["opacity"], opacity, tolerance.opacity),
  };
}

/** Rounds a number; browsers write matrices with six digits. */
function roundTo(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Converts a mask from canvas pixels, without the element's transforms, to the picture's own. */
function maskIn({ mask }: Clip, { left, top, fit }: Place): EditMask | undefined {
  if (mask === undefined) return undefined;
  const scale = Math.sqrt(fit.scaleX * fit.scaleY);
  return {
    shape: mask.shape,
    points: mask.points.map(([x = 0, y = 0]) => [
      (x - left - fit.x) / fit.scaleX,
      (y - top - fit.y) / fit.scaleY,
    ]),
    feather: (mask.feather ?? 0) / scale,
    isInverted: mask.inverted === true,
  };
}

/** Computes what a plain rectangular mask leaves of a picture, within what is left already. */
export function computeCrop(
  mask: EditMask,
  { width, height }: { readonly width: number; readonly height: number },
  before: Crop | undefined,
): Crop | undefined {
  if (mask.shape !== "rect" || mask.isInverted) return undefined;
  const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = mask.points;
  const share = (value: number): number => Math.min(1, Math.max(0, value));
  return {
    left: Math.max(before?.left ?? 0, share(Math.min(x1, x2) / width)),
    right: Math.max(before?.right ?? 0, share(1 - Math.max(x1, x2) / width)),
    top: Math.max(before?.top ?? 0, share(Math.min(y1, y2) / height)),
    bottom: Math.max(before?.bottom ?? 0, share(1 - Math.max(y1, y2) / height)),
  };
}
