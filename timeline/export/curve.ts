import type { KeyframeEdit } from "../overlay.ts";

/**
 * A value over the frames of a clip. It changes evenly between two keys, and stays before the first
 * and after the last.
 */
export interface Curve {
  /** At least one key, by rising frame, counted from the clip's start. */
  readonly keys: readonly Key[];
}

export interface Key {
  readonly frame: number;
  readonly value: readonly number[];
}

/** Whether the value never changes. */
export function isFixed({ keys }: Curve): boolean {
  return keys.length === 1;
}

/** Returns the value at the first frame. */
export function getFirst({ keys }: Curve): readonly number[] {
  return keys[0]?.value ?? [];
}

export function createFixedCurve(...value: readonly number[]): Curve {
  return { keys: [{ frame: 0, value }] };
}

/** The time between two instants that keyframes name, in seconds from the clip's start. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Keyframes that determine the stretch: for a member, at most one before and one after. */
  readonly keyframes: readonly KeyframeEdit[];
}

export type Member = "x" | "y" | "scale" | "rotation" | "opacity";

/**
 * Lists the stretches of a motion's members in a clip of so many seconds; keyframes are in the
 * order of `t`.
 */
export function listStretches(
  whole: readonly KeyframeEdit[],
  members: readonly Member[],
  seconds: number,
): readonly Stretch[] {
  const motion = whole.filter((keyframe) => members.some((one) => keyframe[one] !== undefined));
  const inside = motion.map(({ t }) => t).filter((t) => t > 0 && t < seconds);
  const times = [...new Set([0, ...inside, seconds])];
  const stretches: Stretch[] = [];
  const cursors = members.map((member) => ({
    own: motion.filter((keyframe) => keyframe[member] !== undefined),
    at: 0,
  }));
  for (const [index, from] of times.slice(0, -1).entries()) {
    const around = new Set<KeyframeEdit>();
    for (const cursor of cursors) {
      while ((cursor.own[cursor.at + 1]?.t ?? Number.POSITIVE_INFINITY) <= from) cursor.at++;
      for (const near of cursor.own.slice(cursor.at, cursor.at + 2)) around.add(near);
    }
    const keyframes = [...around].sort((one, other) => one.t - other.t);
    stretches.push({ from, to: times[index + 1] ?? seconds, keyframes });
  }
  return stretches;
}

/** Returns the value at a time in a stretch; at its end, the one just before the end. */
export type ValueIn = (stretch: Stretch, seconds: number) => readonly number[];

/**
 * Computes keys where the author set them, and one a frame only where the value does not change
 * evenly between two of them.
 */
export function computeCurve(
  stretches: readonly Stretch[],
  valueIn: ValueIn,
  fps: number,
  tolerance: number,
): Curve {
  const keys: Key[] = [];
  for (const stretch of stretches) {
    const first = Math.round(stretch.from * fps);
    const last = Math.round(stretch.to * fps);
    const start = { frame: first, value: valueIn(stretch, stretch.from) };
    const justBefore = stretch.to - (stretch.to - stretch.from) * 1e-9;
    const end = { frame: last, value: valueIn(stretch, justBefore) };
    addKey(keys, start, tolerance);
    if (last <= first) continue;
    const probes = [0.1, 0.25, 0.5, 0.75, 0.9, 0.999];
    const isEven = probes.every((share) => {
      const value = valueIn(stretch, stretch.from + (stretch.to - stretch.from) * share);
      return isNear(value, between(start, end, first + (last - first) * share), tolerance);
    });
    if (!isEven)
      for (let frame = first + 1; frame < last; frame++)
        addKey(keys, { frame, value: valueIn(stretch, frame / fps) }, tolerance);
    addKey(keys, end, tolerance);
  }
  return { keys: thin(keys, tolerance) };
}

/** Adds a key; one of the same frame is replaced, but kept up to the frame before. */
function addKey(keys: Key[], key: Key, tolerance: number): void {
  const last = keys.at(-1);
  if (last?.frame === key.frame) {
    keys.pop();
    const isFree = (keys.at(-1)?.frame ?? -1) < key.frame - 1;
    if (isFree && !isNear(last.value, key.value, tolerance))
      keys.push({ frame: key.frame - 1, value: last.value });
  }
  keys.push(key);
}

/** Leaves out the keys that add nothing. */
function thin(keys: readonly Key[], tolerance: number): readonly Key[] {
  const kept: Key[] = [];
  for (const [index, key] of keys.entries()) {
    const before = kept.at(-1);
    const after = keys[index + 1];
    const isBetween =
      before !== undefined && after !== undefined && isLevel([before, key, after], tolerance / 10);
    if (!isBetween) kept.push(key);
  }
  const [first, second] = kept;
  const isSame =
    kept.length === 2 &&
    first !== undefined &&
    second !== undefined &&
    isNear(first.value, second.value, tolerance);
  return isSame ? [first] : kept;
}

/** Whether the three keys have the same value. */
function isLevel([before, key, after]: readonly [Key, Key, Key], tolerance: number): boolean {
  return isNear(before.value, key.value, tolerance) && isNear(after.value, key.value, tolerance);
}

function between(from: Key, to: Key, frame: number): readonly number[] {
  const share = (frame - from.frame) / (to.frame - from.frame);
  return from.value.map((value, at) => value + ((to.value[at] ?? value) - value) * share);
}

function isNear(one: readonly number[], other: readonly number[], tolerance: number): boolean {
  return one.every((value, at) => Math.abs(value - (other[at] ?? 0)) <= tolerance);
}
