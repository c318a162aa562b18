/// <reference lib="dom" />

import type { Palette } from "./palette.ts";
import type { Brief, TimeOfDay } from "./prompt.ts";
import type { Random } from "./seeded-random.ts";

/** The state that all painters of a picture share. Lengths are in pixels. */
export interface Stage {
  readonly ctx: OffscreenCanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  /** Unit of length for everything painted, so that a picture looks alike at every size. */
  readonly unit: number;
  readonly horizon: number;
  readonly sun: Sun;
  readonly brief: Brief;
  readonly time: TimeOfDay;
  readonly palette: Palette;
  readonly random: Random;
  /** Seconds into a film; 0 in a still. */
  readonly atSeconds: number;
}

/** The sun, or at night the moon. */
export interface Sun {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly isMoon: boolean;
  /** Side that the light comes from: -1 is left, 1 is right. */
  readonly side: -1 | 1;
}

export function newCanvas(width: number, height: number): OffscreenCanvasRenderingContext2D {
  const ctx = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (ctx === null) throw new Error("the page has no 2D canvas");
  return ctx;
}

/** Paints a soft disc of light around a point. */
export function glow(
  ctx: OffscreenCanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  stops: readonly (readonly [offset: number, color: string])[],
): void {
  const gradient = ctx.createRadialGradient(x, y, 0, x, y, radius);
  for (const [offset, color] of stops) gradient.addColorStop(offset, color);
  ctx.fillStyle = gradient;
  ctx.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
}
