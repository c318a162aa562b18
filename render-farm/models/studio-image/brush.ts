/// <reference lib="dom" />
import { blend, type Color, css } from "./color.ts";
import { lit } from "./palette.ts";
import type { Stage } from "./stage.ts";

/** A subject's position in pixels; `y` is its foot, or its middle if it is in the air. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  /** Height of the subject in pixels. */
  readonly size: number;
  /** Amount of haze: 0 is near, 1 is lost in haze. */
  readonly haze: number;
}

/** Shapes are given in hundredths of a subject's size, y down, the foot at (50, 100). */
export type Point = readonly [x: number, y: number];
/** A limb: points along a bone, each with the radius of the flesh around it. */
export type Limb = readonly (readonly [x: number, y: number, radius: number])[];

type Ctx = OffscreenCanvasRenderingContext2D;

/** A subject's own colour under the picture's light, seen through the haze. */
export function tone(stage: Stage, color: Color, exposure: number, haze: number): Color {
  const body = blend(lit(color, stage.palette, exposure), color, 0.34);
  return blend(body, stage.palette.haze, haze * 0.9);
}

/** Parses text such as `"8,100 8,52"` into points. */
export function points(text: string): readonly Point[] {
  return text.split(" ").map((pair) => {
    const [x = 0, y = 0] = pair.split(",").map(Number);
    return [x, y];
  });
}

/** Runs `paint` with hundredths of `spot.size` as the unit; mirrored when `facing` is -1. */
export function within(ctx: Ctx, spot: Spot, facing: number, paint: () => void): void {
  ctx.save();
  ctx.translate(spot.x, spot.y);
  ctx.scale((facing * spot.size) / 100, spot.size / 100);
  ctx.translate(-50, -100);
  paint();
  ctx.restore();
}

export function polygon(ctx: Ctx, points: readonly Point[], color: Color, alpha = 1): void {
  ctx.fillStyle = css(color, alpha);
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.closePath();
  ctx.fill();
}

export function box(
  ctx: Ctx,
  x: number,
  y: number,
  wide: number,
  tall: number,
  color: Color,
): void {
  ctx.fillStyle = css(color);
  ctx.fillRect(x, y, wide, tall);
}

export function ellipse(
  ctx: Ctx,
  x: number,
  y: number,
  radiusX: number,
  radiusY: number,
  color: Color,
  alpha = 1,
): void {
  ctx.fillStyle = css(color, alpha);
  ctx.beginPath();
  ctx.ellipse(x, y, radiusX, radiusY, 0, 0, 7);
  ctx.fill();
}

export function line(
  ctx: Ctx,
  points: readonly Point[],
  width: number,
  color: Color,
  alpha = 1,
): void {
  ctx.strokeStyle = css(color, alpha);
  ctx.lineWidth = width;
  ctx.lineCap = "round";
  ctx.lineJoin = "round";
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.stroke();
}

/** Parses limbs: one per line, points as `x y radius`, with two spaces between points. */
export function listLimbs(text: string): readonly Limb[] {
  return text
    .trim()
    .split("\n")
    .map((line) =>
      line
        .trim()
        .split("  ")
        .map((point) => {
          const [x = 0, y = 0, radius = 0] = point.split(" ").map(Number);
          return [x, y, radius] as const;
        }),
    );
}

/** Adds the limbs' outline to the current path: discs along smooth curves through the points. */
export function traceLimbs(ctx: Ctx, limbs: readonly Limb[]): void {
  for (const limb of limbs)
    for (let i = 0; i + 1 < limb.length; i++) {
      const from = limb[i];
      const to = limb[i + 1];
      if (from === undefined || to === undefined) continue;
      const before = limb[i - 1] ?? from;
      const after = limb[i + 2] ?? to;
      const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
      const parts = Math.ceil(4 + (5 * length) / Math.max(1, Math.min(from[2], to[2])));
      for (let k = 0; k <= parts; k++) {
        const part = k / parts;
        const at = (axis: 0 | 1 | 2): number =>
          spline(before[axis], from[axis], to[axis], after[axis], part);
        const radius = Math.max(0.3, at(2));
        ctx.moveTo(at(0) + radius, at(1));
        ctx.arc(at(0), at(1), radius, 0, 7);
      }
    }
}

/** Interpolates along a Catmull-Rom spline. */
function spline(before: number, from: number, to: number, after: number, t: number): number {
  const bend = 2 * before - 5 * from + 4 * to - after;
  const turn = 3 * (from - to) + after - before;
  return 0.5 * (2 * from + (to - before) * t + bend * t * t + turn * t * t * t);
}

/** A soft shadow on the ground, drawn out away from the light. */
export function castShadow(stage: Stage, spot: Spot, width: number): void {
  const { ctx, palette, sun } = stage;
  ctx.save();
  ctx.translate(spot.x - sun.side * width * spot.size * 0.55, spot.y);
  ctx.scale(width * spot.size, width * spot.size * 0.12);
  const shade = ctx.createRadialGradient(0, 0, 0, 0, 0, 1);
  shade.addColorStop(0, css(palette.shadow, 0.5 * (1 - spot.haze)));
  shade.addColorStop(1, css(palette.shadow, 0));
  ctx.fillStyle = shade;
  ctx.fillRect(-1, -1, 2, 2);
  ctx.restore();
}
