/**
 * A clip's position in the film, and its new one when it is moved or trimmed by hand: in whole
 * frames, not before the film's start, and within the length of its source.
 */
import { bounds } from "./edits-document.ts";

export interface Placement {
  /** Start and end in seconds of the film. */
  readonly start: number;
  readonly end: number;
  readonly lane: number;
  /** Position in the source, in seconds, at the clip's start; undefined without a source. */
  readonly mediaStart: number | undefined;
  /** Seconds of the source that play in a second of the film. */
  readonly rate: number;
}

export type Grip = "whole" | "start" | "end";

/** Snapping moves an edge to one of the points when it is within this many seconds of it. */
export interface Snap {
  readonly points: readonly number[];
  readonly withinSeconds: number;
}

export const noSnap: Snap = { points: [], withinSeconds: 0 };

/** Rounds to the nearest whole frame, precisely enough for the service to find the same frame. */
export function toFrame(seconds: number, fps: number): number {
  return Math.round((Math.round(seconds * fps) / fps) * 1e9) / 1e9;
}

/** Moves the clip by `by` seconds, with the clip held at `grip`. */
export function drag(placed: Placement, grip: Grip, by: number, fps: number, snap: Snap) {
  switch (grip) {
    case "whole":
      return moveTo(placed, placed.start + by + snapMove(placed, by, snap), fps);
    case "start":
      return trimStart(placed, snapPoint(placed.start + by, snap), fps);
    case "end":
      return trimEnd(placed, snapPoint(placed.end + by, snap), fps);
  }
}

export function moveTo(placed: Placement, start: number, fps: number): Placement {
  const length = placed.end - placed.start;
  const at = toFrame(clamp(start, 0, bounds.seconds - length), fps);
  return { ...placed, start: at, end: at + length };
}

/** Trims the start, so that the source plays from where it was at that time. */
export function trimStart(placed: Placement, start: number, fps: number): Placement {
  const { start: old, end, mediaStart, rate } = placed;
  const earliest = Math.max(
    Math.min(0, old),
    mediaStart === undefined ? 0 : old - mediaStart / rate,
  );
  const at = toFrame(clamp(start, earliest, end - 1 / fps), fps);
  // A source whose first frame is between two frames must not start before 0.
  const from = mediaStart === undefined ? undefined : Math.max(0, mediaStart + (at - old) * rate);
  return { ...placed, start: at, mediaStart: from === undefined ? undefined : tidy(from) };
}

export function trimEnd(placed: Placement, end: number, fps: number): Placement {
  const { start } = placed;
  return { ...placed, end: toFrame(clamp(end, start + 1 / fps, start + bounds.seconds), fps) };
}

/** Changes the rate and the length, so that the same part of the source plays. */
export function changeRate(placed: Placement, rate: number): Placement {
  const { min, max } = bounds.playbackRate;
  const next = tidy(clamp(rate, min, max));
  const length = Math.min(bounds.seconds, ((placed.end - placed.start) * placed.rate) / next);
  return { ...placed, end: placed.start + length, rate: next };
}

function snapPoint(seconds: number, { points, withinSeconds }: Snap): number {
  const near = points.filter((point) => Math.abs(point - seconds) <= withinSeconds);
  const distance = (point: number) => Math.abs(point - seconds);
  return near.reduce(
    (best, point) => (distance(point) < distance(best) ? point : best),
    near[0] ?? seconds,
  );
}

/** Either edge of a moved clip may snap; the one nearer to its point does. */
function snapMove({ start, end }: Placement, by: number, snap: Snap): number {
  const shifts = [start + by, end + by]
    .map((edge) => snapPoint(edge, snap) - edge)
    .filter((shift) => shift !== 0);
  return shifts.sort((one, other) => Math.abs(one) - Math.abs(other))[0] ?? 0;
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(min, max), Math.max(min, value));
}

/** Rounds off the floating-point error of a sum of fractions. */
export function tidy(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}
