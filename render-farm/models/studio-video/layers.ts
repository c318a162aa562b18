/// <reference lib="dom" />
import { newCanvas, type Stage } from "../studio-image/stage.ts";

type Ctx = OffscreenCanvasRenderingContext2D;

/** One plane of a film, painted back to front. */
export interface Layer {
  /** Depth, from 0 (infinitely far) to 1 (right before the camera). */
  readonly depth: number;
  /** Paints in the coordinates of the paintings, under the camera's transform. */
  paint(stage: Stage): void;
}

/** A layer that does not change: painted once, on a transparent canvas. */
export function stillLayer(stage: Stage, depth: number, paint: (stage: Stage) => void): Layer {
  const ctx = newCanvas(stage.width, stage.height);
  paint({ ...stage, ctx });
  return canvasLayer(depth, ctx.canvas);
}

function canvasLayer(depth: number, canvas: OffscreenCanvas): Layer {
  return { depth, paint: ({ ctx }) => ctx.drawImage(canvas, 0, 0) };
}

/**
 * Like `stillLayer`, for painters that read what is behind them: painting on black and on white
 * shows how transparent each pixel is. Returns the painter's result too.
 */
export function matteLayer<T>(
  stage: Stage,
  depth: number,
  paint: (stage: Stage) => T,
): { readonly layer: Layer; readonly world: T } {
  const [black, white] = ["#000000", "#ffffff"].map((color) => fill(stage, color));
  if (black === undefined || white === undefined) throw new Error("no canvas");
  const world = paint({ ...stage, ctx: black });
  paint({ ...stage, ctx: white });
  subtract(black, white);
  return { layer: canvasLayer(depth, black.canvas), world };
}

function fill({ width, height }: Stage, color: string): Ctx {
  const ctx = newCanvas(width, height);
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, width, height);
  return ctx;
}

/** Leaves in `black` the painting alone, transparent to the degree that the two differ. */
function subtract(black: Ctx, white: Ctx): void {
  const { width, height } = black.canvas;
  const image = black.getImageData(0, 0, width, height);
  const { data } = image;
  const other = white.getImageData(0, 0, width, height).data;
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]];
    const more =
      (other[at] ?? 0) - red + (other[at + 1] ?? 0) - green + (other[at + 2] ?? 0) - blue;
    const alpha = Math.min(255, Math.max(0, 255 - more / 3));
    data[at + 3] = alpha;
    if (alpha === 0 || alpha === 255) continue;
    const scale = 255 / alpha;
    data[at] = red * scale;
    data[at + 1] = green * scale;
    data[at + 2] = blue * scale;
  }
  black.putImageData(image, 0, 0);
}
