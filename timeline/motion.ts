import type { KeyframeEdit, TransformEdit } from "./overlay.ts";

/** A clip's transform at one instant, relative to what its author wrote. */
export interface Pose {
  /** Offset in pixels. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Rotation in degrees clockwise. */
  readonly rotation: number;
  readonly opacity: number;
}

const members = ["x", "y", "scale", "rotation", "opacity"] as const;
type Member = (typeof members)[number];
const neutral: Pose = { x: 0, y: 0, scale: 1, rotation: 0, opacity: 1 };

/**
 * Computes the pose at an instant. Keyframes, ordered by `t`, replace the transform member by
 * member and hold outside their range. A keyframe's ease leads from it to the next one. `seconds`
 * counts from the clip's start.
 */
export function poseAt(
  transform: TransformEdit | undefined,
  motion: readonly KeyframeEdit[],
  seconds: number,
): Pose {
  const pose = { ...neutral };
  for (const member of members) {
    const fixed = transform?.[member] ?? neutral[member];
    pose[member] = valueAt(motion, member, seconds) ?? fixed;
  }
  return pose;
}

function valueAt(
  motion: readonly KeyframeEdit[],
  member: Member,
  seconds: number,
): number | undefined {
  let before: KeyframeEdit | undefined;
  for (const keyframe of motion) {
    const value = keyframe[member];
    if (value === undefined) continue;
    if (keyframe.t > seconds) {
      const from = before?.[member];
      if (before === undefined || from === undefined) return value;
      const share = (seconds - before.t) / (keyframe.t - before.t);
      return from + (value - from) * ease(share, before.ease ?? "linear");
    }
    before = keyframe;
  }
  return before?.[member];
}

function ease(share: number, ease: NonNullable<KeyframeEdit["ease"]>): number {
  switch (ease) {
    case "linear":
      return share;
    case "hold":
      return 0;
    case "ease_in":
      return share * share;
    case "ease_out":
      return 1 - (1 - share) * (1 - share);
    case "ease_in_out":
      return share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) * (1 - share);
  }
}
