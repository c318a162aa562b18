/// <reference lib="dom" />
import { css, lch } from "../studio-image/color.ts";
import { gradientNoise } from "../studio-image/noise.ts";
import { cloudCover, cloudShade, coarse, paintAurora } from "../studio-image/sky.ts";
import { glow, newCanvas, type Stage } from "../studio-image/stage.ts";
import type { Layer } from "./layers.ts";

/** Moving parts of the sky: clouds, aurora, twinkling stars. */
type Ctx = OffscreenCanvasRenderingContext2D;

const windPerSecond = 0.028;

/**
 * Clouds on a plane above the camera: those near the zenith pass faster than those near the
 * horizon. They are computed once, wider than the picture, then moved row by row.
 */
export function cloudLayer(stage: Stage, seconds: number): Layer | undefined {
  const { width, height, horizon, unit, random, sun, brief } = stage;
  const dice = random.fork("clouds");
  const cover = cloudCover(stage, dice.between(-0.06, 0.1));
  if (cover < -0.5) return undefined;
  const isWindy = brief.weathers.has("wind") || stage.time === "storm";
  const wind = windPerSecond * unit * (isWindy ? 2.2 : 1);
  const columns = Math.round(width / coarse);
  const rows = Math.round(Math.min(height, horizon * 1.02) / coarse);
  const extra = Math.ceil((wind * seconds) / coarse) + 2;
  const noise = gradientNoise(dice);
  const shade = cloudShade(stage, cover, noise, dice.between(0, 90));
  const strip = newCanvas(columns + extra, rows).createImageData(columns + extra, rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns + extra; column++) {
      const from = sun.side > 0 ? column - extra : column;
      shade(from * coarse, row * coarse, strip.data, (row * (columns + extra) + column) * 4);
    }
  const small = newCanvas(columns, rows);
  const image = small.createImageData(columns, rows);
  return {
    depth: 0.06,
    paint({ ctx, atSeconds }) {
      const moved = (wind * atSeconds) / coarse;
      shiftRows(strip, image, horizon / coarse, moved, sun.side > 0 ? extra : 0, sun.side);
      small.putImageData(image, 0, 0);
      ctx.imageSmoothingQuality = "medium";
      ctx.drawImage(small.canvas, 0, 0, columns * coarse, rows * coarse);
      ctx.imageSmoothingQuality = "low";
    },
  };
}

/** Shifts each row by its own share of `moved` columns, interpolating between columns. */
function shiftRows(
  strip: ImageData,
  image: ImageData,
  horizonRow: number,
  moved: number,
  start: number,
  side: number,
): void {
  const from = strip.data;
  const to = image.data;
  for (let row = 0; row < image.height; row++) {
    const shift = moved * (1.12 - Math.min(1, row / horizonRow) * 0.92) * 0.89;
    const whole = Math.floor(shift);
    const part = Math.round((shift - whole) * 256);
    const first = start - side * whole;
    const step = -side * 4;
    let at = row * image.width * 4;
    let source = (row * strip.width + first) * 4;
    for (let column = 0; column < image.width; column++, at += 4, source += 4) {
      const near = from[source + 3] ?? 0;
      const next = from[source + step + 3] ?? 0;
      to[at + 3] = (near * (256 - part) + next * part) >> 8;
      // Clear pixels are black; they are left out, so that they do not darken the rim.
      const [own, other] = [near === 0 ? 0 : 256 - part, next === 0 ? 0 : part];
      const sum = own + other || 1;
      for (let channel = 0; channel < 3; channel++)
        to[at + channel] =
          ((from[source + channel] ?? 0) * own + (from[source + step + channel] ?? 0) * other) /
          sum;
    }
  }
}

/** Northern lights, painted at a third of the size because they are soft. */
export function auroraLayer(stage: Stage): Layer {
  const [width, height] = [Math.ceil(stage.width / 3), Math.ceil(stage.height / 3)];
  const small = newCanvas(width, height);
  return {
    depth: 0.03,
    paint({ ctx, atSeconds }) {
      small.clearRect(0, 0, width, height);
      const scaled = { width, height, unit: stage.unit / 3, horizon: stage.horizon / 3 };
      paintAurora({ ...stage, ...scaled, ctx: small, atSeconds });
      ctx.globalCompositeOperation = "screen";
      ctx.drawImage(small.canvas, 0, 0, width * 3, height * 3);
      ctx.globalCompositeOperation = "source-over";
    },
  };
}

/** A few stars that flare and fade; `lowest` is a share of the height. */
export function twinkleLayer(stage: Stage, lowest: number): Layer {
  const dice = stage.random.fork("twinkle");
  const stars = Array.from({ length: 46 }, () => ({
    x: dice.between(0, stage.width),
    y: dice.next() ** 1.2 * lowest * stage.height,
    size: stage.unit * dice.between(0.0012, 0.0026),
    pace: dice.between(1.2, 3.6),
    phase: dice.between(0, 7),
    ink: dice.chance(0.3) ? lch(0.93, 0.06, 70) : lch(0.95, 0.04, 250),
  }));
  const paintStar = (ctx: Ctx, star: (typeof stars)[number], seconds: number): void => {
    const strength = Math.max(0, Math.sin(seconds * star.pace + star.phase)) ** 3;
    if (strength < 0.02) return;
    glow(ctx, star.x, star.y, star.size * 4, [
      [0, css(star.ink, strength)],
      [0.25, css(star.ink, strength * 0.5)],
      [1, css(star.ink, 0)],
    ]);
  };
  return {
    depth: 0,
    paint({ ctx, atSeconds }) {
      for (const star of stars) paintStar(ctx, star, atSeconds);
    },
  };
}
