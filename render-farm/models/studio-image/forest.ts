/// <reference lib="dom" />
import { tone } from "./brush.ts";
import { blend, type Color, css, lch } from "./color.ts";
import { paintConifer, paintTree } from "./flora.ts";
import { fractal, gradientNoise, mix } from "./noise.ts";
import type { Footing } from "./placing.ts";
import type { Stage } from "./stage.ts";

/** Paints rows of trees with mist between them and a floor that leads the eye to the light. */
export function paintForest(stage: Stage): Footing {
  const { width, height, unit, horizon, random, brief } = stage;
  const dice = random.fork("forest");
  const noise = gradientNoise(dice);
  const told = brief.colorsByNoun.get("forest");
  const isBroad = brief.subjects.some(({ word }) => /oak|birch|maple|cherry|sakura/.test(word));
  const rows = 7;
  const gap = width / 2 + stage.sun.side * width * 0.12;
  for (let row = 0; row < rows; row++) {
    const near = row / (rows - 1);
    const haze = (1 - near) ** 1.25 * 0.9;
    const base = (x: number): number =>
      mix(horizon, height * 0.93, near ** 1.5) +
      fractal(noise, (x / unit) * 2 + row * 7, row, 3) * unit * mix(0.05, 0.04, near);
    paintFloor(stage, base, haze, told);
    const count = Math.round(mix(70, 9, near ** 0.6) * Math.max(1, width / unit));
    const tall = unit * mix(0.16, 0.92, near ** 1.35);
    for (let i = 0; i < count; i++) {
      const x = ((i + dice.between(-0.4, 0.4)) / (count - 1)) * width * 1.1 - width * 0.05;
      const clearing = Math.abs(x - gap) / (unit * mix(0.1, 0.56, near));
      if (row > 1 && clearing < 1) continue;
      const size = tall * dice.between(0.72, 1.18);
      const spot = { x, y: base(x) + size * 0.02, size, haze };
      const needle = told ?? lch(0.4, 0.07, dice.between(142, 175));
      if (isBroad) paintTree(stage, spot, parseWord(stage), told, dice);
      else paintConifer(stage, spot, needle, dice, mix(0.72, 0.95, near));
    }
    paintMist(stage, mix(horizon, height * 0.93, near ** 1.5), (1 - near) * 0.5);
  }
  paintShafts(stage, dice.between(0.1, 0.2));
  return (x, y) => {
    const near = Math.max(0, (y - horizon) / (height - horizon));
    return { x, y, haze: 0.55 * (1 - near) ** 2, distance: 1 / (near + 0.12) };
  };
}

function parseWord({ brief }: Stage): string {
  return brief.subjects.find(({ kind }) => kind === "tree")?.word ?? "oak";
}

function paintFloor(
  stage: Stage,
  base: (x: number) => number,
  haze: number,
  told: Color | undefined,
): void {
  const { ctx, width, height, unit, brief } = stage;
  const isSnowy = brief.settings.includes("snow");
  const moss = isSnowy ? lch(0.93, 0.018, 245) : (told ?? lch(0.48, 0.075, 128));
  const fill = ctx.createLinearGradient(0, base(width / 2), 0, base(width / 2) + unit * 0.3);
  fill.addColorStop(0, css(tone(stage, moss, 0.85, haze)));
  fill.addColorStop(1, css(tone(stage, moss, 0.2, haze * 0.8)));
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.moveTo(0, height);
  for (let x = 0; x <= width + 8; x += 8) ctx.lineTo(x, base(x));
  ctx.lineTo(width, height);
  ctx.fill();
}

function paintMist({ ctx, width, unit, palette }: Stage, y: number, strength: number): void {
  const mist = ctx.createLinearGradient(0, y - unit * 0.16, 0, y + unit * 0.09);
  const color = blend(palette.haze, palette.sky[4], 0.5);
  mist.addColorStop(0, css(color, 0));
  mist.addColorStop(0.7, css(color, strength * 0.8));
  mist.addColorStop(1, css(color, 0));
  ctx.fillStyle = mist;
  ctx.fillRect(0, y - unit * 0.16, width, unit * 0.25);
}

function paintShafts(stage: Stage, spread: number): void {
  const { ctx, height, unit, sun, palette, random } = stage;
  const dice = random.fork("shafts");
  const brightness = sun.isMoon || stage.brief.settings.includes("snow") ? 0.05 : 0.1;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  for (let ray = 0; ray < 17; ray++) {
    const angle = Math.PI / 2 + (ray / 16 - 0.5) * 1.9 + dice.between(-0.09, 0.09);
    const reach = height * 0.9;
    const half = spread * dice.between(0.2, 0.5);
    const light = ctx.createRadialGradient(sun.x, sun.y, unit * 0.05, sun.x, sun.y, reach);
    light.addColorStop(0, css(palette.light, brightness));
    light.addColorStop(1, css(palette.light, 0));
    ctx.fillStyle = light;
    ctx.beginPath();
    ctx.moveTo(sun.x, sun.y);
    for (const side of [-half, half])
      ctx.lineTo(sun.x + Math.cos(angle + side) * reach, sun.y + Math.sin(angle + side) * reach);
    ctx.fill();
  }
  ctx.restore();
}
