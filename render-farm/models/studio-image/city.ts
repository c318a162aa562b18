/// <reference lib="dom" />
import { tone } from "./brush.ts";
import { blend, type Color, css, lch } from "./color.ts";
import { mix } from "./noise.ts";
import type { Random } from "./seeded-random.ts";
import { glow, type Stage } from "./stage.ts";

/** Paints a skyline on the horizon: rows of towers, the far ones pale, the near ones lit within. */
export function paintCity(stage: Stage): void {
  const { width, unit, horizon, random } = stage;
  const dice = random.fork("city");
  const rows = 4;
  const centre = width * (0.5 - stage.sun.side * dice.between(0.02, 0.12));
  for (let row = 0; row < rows; row++) {
    const near = row / (rows - 1);
    const haze = (1 - near) * 0.72;
    let x = -unit * 0.05;
    while (x < width * 1.03) {
      const wide = unit * dice.between(0.032, 0.075) * mix(0.75, 1.15, near);
      const middle = Math.exp(-(((x - centre) / (unit * 0.36)) ** 2));
      const tall =
        unit *
        (0.07 + dice.next() ** 1.6 * 0.15 + middle * dice.between(0.06, 0.34)) *
        mix(1.25, 0.72, near);
      paintTower(stage, x, horizon + 1, wide, tall, haze, dice);
      x += wide * dice.between(0.86, 1.2);
    }
    paintSmog(stage, (1 - near) * 0.42);
  }
}

function paintTower(
  stage: Stage,
  x: number,
  foot: number,
  wide: number,
  tall: number,
  haze: number,
  dice: Random,
): void {
  const { ctx, sun, brief } = stage;
  const told = brief.colorsByNoun.get("city");
  const isNeon = brief.style === "neon";
  const wall =
    told ?? lch(dice.between(0.36, 0.5), 0.035, isNeon ? 290 : dice.pick([250, 265, 30, 60]));
  const top = foot - tall;
  const across = ctx.createLinearGradient(x, 0, x + wide, 0);
  across.addColorStop(sun.side < 0 ? 0 : 1, css(tone(stage, wall, 0.85, haze)));
  across.addColorStop(sun.side < 0 ? 0.4 : 0.6, css(tone(stage, wall, 0.3, haze)));
  across.addColorStop(sun.side < 0 ? 1 : 0, css(tone(stage, wall, 0.12, haze)));
  ctx.fillStyle = across;
  ctx.fillRect(x, top, wide, tall);
  paintRoof(ctx, x, top, wide, dice);
  paintWindows(stage, x, top, wide, tall, haze, dice);
  if (isNeon && haze < 0.5) paintSign(stage, x, top, wide, tall, dice);
}

function paintRoof(
  ctx: OffscreenCanvasRenderingContext2D,
  x: number,
  top: number,
  wide: number,
  dice: Random,
): void {
  const middle = x + wide / 2;
  ctx.beginPath();
  switch (dice.index(5)) {
    case 0:
      ctx.rect(middle - wide * 0.3, top - wide * 0.35, wide * 0.6, wide * 0.36);
      ctx.rect(middle - wide * 0.16, top - wide * 0.65, wide * 0.32, wide * 0.36);
      ctx.rect(middle - wide * 0.02, top - wide * 1.7, wide * 0.04, wide * 1.1);
      break;
    case 1:
      ctx.moveTo(x, top + 0.5);
      ctx.lineTo(x + wide * (dice.chance(0.5) ? 0 : 1), top - wide * 0.6);
      ctx.lineTo(x + wide, top + 0.5);
      break;
    case 2:
      ctx.moveTo(middle - wide * 0.4, top + 0.5);
      ctx.quadraticCurveTo(middle, top - wide * 1.3, middle + wide * 0.4, top + 0.5);
      break;
    case 3:
      ctx.rect(middle - wide * 0.03, top - wide * 0.9, wide * 0.06, wide * 0.92);
      ctx.rect(x + wide * 0.12, top - wide * 0.12, wide * 0.3, wide * 0.13);
      break;
    case 4:
      break;
  }
  ctx.fill();
}

function paintWindows(
  stage: Stage,
  x: number,
  top: number,
  wide: number,
  tall: number,
  haze: number,
  dice: Random,
): void {
  const { ctx, unit, palette, brief, time } = stage;
  const step = Math.max(3.2, unit * 0.0072);
  const columns = Math.max(2, Math.floor((wide * 0.84) / step));
  const gap = (wide * 0.84) / columns;
  const share = palette.isDark
    ? dice.between(0.12, 0.5) * (1 - haze * 0.6)
    : time === "storm"
      ? 0.3
      : 0.1;
  const lights: readonly [Color, ...Color[]] =
    brief.style === "neon"
      ? [lch(0.82, 0.14, 205), lch(0.72, 0.22, 345), lch(0.88, 0.1, 90)]
      : [lch(0.9, 0.11, 82), lch(0.86, 0.13, 70), lch(0.94, 0.05, 95)];
  const dark = tone(stage, lch(0.4, 0.04, 250), 0.5, haze);
  for (let y = top + step * 0.9; y < top + tall - step; y += step * 1.25)
    for (let column = 0; column < columns; column++) {
      const isLit = dice.chance(share);
      const ink = isLit ? blend(dice.pick(lights), palette.haze, haze * 0.7) : dark;
      ctx.fillStyle = css(ink, isLit ? 0.95 : 0.28);
      ctx.fillRect(x + wide * 0.08 + column * gap + gap * 0.16, y, gap * 0.66, step * 0.72);
    }
}

function paintSign(
  stage: Stage,
  x: number,
  top: number,
  wide: number,
  tall: number,
  dice: Random,
): void {
  if (!dice.chance(0.5)) return;
  const { ctx } = stage;
  const color = lch(0.74, 0.21, dice.pick([345, 205, 320, 190, 60]));
  const [signX, signY] = [x + wide * dice.between(0.1, 0.7), top + tall * dice.between(0.12, 0.4)];
  const [signWide, signTall] = [wide * 0.18, tall * dice.between(0.18, 0.4)];
  ctx.fillStyle = css(color, 0.95);
  ctx.fillRect(signX, signY, signWide, signTall);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  glow(ctx, signX + signWide / 2, signY + signTall / 2, wide * 1.5, [
    [0, css(color, 0.5)],
    [1, css(color, 0)],
  ]);
  ctx.restore();
}

function paintSmog({ ctx, width, unit, horizon, palette }: Stage, strength: number): void {
  const smog = ctx.createLinearGradient(0, horizon - unit * 0.3, 0, horizon);
  smog.addColorStop(0, css(palette.haze, 0));
  smog.addColorStop(1, css(blend(palette.haze, palette.sky[4], 0.4), strength));
  ctx.fillStyle = smog;
  ctx.fillRect(0, horizon - unit * 0.3, width, unit * 0.3);
}
