/// <reference lib="dom" />
import { tone } from "./brush.ts";
import { blend, css, lch } from "./color.ts";
import { fractal, gradientNoise, mix } from "./noise.ts";
import type { Footing } from "./placing.ts";
import type { Stage } from "./stage.ts";

/** Paints a closed cloud layer from above: rows of heaps, each lit from the sun's side. */
export function paintCloudSea(stage: Stage): Footing {
  const { ctx, width, height, horizon, unit, random, brief, palette, sun } = stage;
  const dice = random.fork("cloud sea");
  const noise = gradientNoise(dice);
  const white = brief.colorsByNoun.get("clouds") ?? lch(0.96, 0.014, 60);
  const rows = 9;
  for (let row = 0; row < rows; row++) {
    const near = row / (rows - 1);
    const haze = 0.75 * (1 - near) ** 1.3;
    const base = mix(horizon + unit * 0.01, height * 1.04, near ** 1.6);
    const size = unit * mix(0.02, 0.16, near ** 1.2);
    const bright = tone(stage, white, 0.95, haze);
    const dark = blend(tone(stage, white, 0.16, haze), palette.sky[2], 0.25);
    const body = ctx.createLinearGradient(0, base - size * 1.6, 0, base + size * 2.4);
    body.addColorStop(0, css(blend(dark, bright, 0.6)));
    body.addColorStop(1, css(dark));
    ctx.fillStyle = body;
    ctx.fillRect(0, base + size * 0.25, width, height);
    const puffs = Array.from({ length: Math.ceil((13 * width) / size) }, () => {
      const x = dice.between(-0.05, 1.05) * width;
      const lift = fractal(noise, (x / unit) * mix(7, 1.7, near) + row * 11, row * 3, 3);
      const down = dice.next();
      const radius = size * mix(0.22, 0.8, down) * dice.between(0.7, 1.2);
      return { x, y: base - lift * size * 2.6 - (0.75 - down) * size * 1.3, radius };
    });
    for (const { x, y, radius } of puffs.sort((p, q) => p.y - q.y)) {
      const [lightX, lightY] = [x + sun.side * radius * 0.4, y - radius * 0.5];
      const puff = ctx.createRadialGradient(lightX, lightY, 0, x, y, radius);
      puff.addColorStop(0, css(bright, 0.8));
      puff.addColorStop(0.4, css(blend(bright, dark, 0.3), 0.6));
      puff.addColorStop(0.75, css(blend(bright, dark, 0.8), 0.34));
      puff.addColorStop(1, css(dark, 0));
      ctx.fillStyle = puff;
      ctx.fillRect(x - radius, y - radius, radius * 2, radius * 2);
    }
  }
  return (x, y) => {
    const near = Math.max(0, (y - horizon) / (height - horizon));
    return { x, y, haze: 0.5 * (1 - near) ** 2, distance: 1 / (near + 0.1) };
  };
}
