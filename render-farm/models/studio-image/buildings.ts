/// <reference lib="dom" />
import {
  box,
  castShadow,
  ellipse,
  line,
  points,
  polygon,
  type Spot,
  tone,
  within,
} from "./brush.ts";
import { type Color, css, lch, lighter } from "./color.ts";
import type { Random } from "./seeded-random.ts";
import { glow, type Stage } from "./stage.ts";

/** Buildings, with lit windows when it is dark. */
const lamp = lch(0.9, 0.13, 82);

export function paintHouse(stage: Stage, spot: Spot, color: Color, dice: Random): void {
  const { ctx, sun, palette } = stage;
  const roof = lch(0.43, 0.09, dice.between(20, 45));
  const isSnowy = stage.brief.settings.includes("snow");
  const front = sun.side < 0 ? 0.9 : 0.45;
  const side = sun.side < 0 ? 0.3 : 0.85;
  castShadow(stage, spot, 0.9);
  within(ctx, spot, 1, () => {
    const wall = (exposure: number): Color => tone(stage, color, exposure, spot.haze);
    polygon(ctx, points("8,100 8,52 32,22 56,52 56,100"), wall(front));
    polygon(ctx, points("56,100 56,52 108,52 108,100"), wall(side));
    polygon(ctx, points("78,30 78,8 87,8 87,30"), tone(stage, lch(0.5, 0.06, 40), side, spot.haze));
    const tiles = isSnowy ? lch(0.95, 0.012, 240) : roof;
    polygon(ctx, points("32,16 86,16 114,54 60,54"), tone(stage, tiles, side * 0.9, spot.haze));
    polygon(
      ctx,
      points("32,16 4,54 9,57 32,25 56,57 60,54"),
      tone(stage, lighter(tiles, 0.04), front, spot.haze),
    );
    polygon(
      ctx,
      points("26,100 26,74 39,74 39,100"),
      tone(stage, lch(0.36, 0.06, 45), front, spot.haze),
    );
    const glass = palette.isDark ? lamp : tone(stage, lch(0.6, 0.05, 235), 0.8, spot.haze);
    for (const [x, y] of [
      [27.5, 48],
      [66, 66],
      [88, 66],
    ] as const) {
      box(ctx, x - 1.4, y - 1.4, 12.8, 15.8, wall(1));
      box(ctx, x, y, 10, 13, glass);
      box(ctx, x + 4.5, y, 1, 13, wall(0.8));
      if (palette.isDark) shine(stage, x + 5, y + 6, 34);
    }
  });
}

export function paintLighthouse(stage: Stage, spot: Spot, told: Color | undefined): void {
  const { ctx, sun, palette } = stage;
  const stripe = told ?? lch(0.57, 0.2, 28);
  const white = lch(0.96, 0.012, 90);
  within(ctx, spot, 1, () => {
    const half = (y: number): number => 8 + ((y - 22) / 78) * 6.5;
    for (let band = 0; band < 6; band++) {
      const [top, bottom] = [24 + band * 12.8, 24 + (band + 1) * 12.8];
      const shade = ctx.createLinearGradient(34, 0, 66, 0);
      const own = band % 2 === 0 ? white : stripe;
      const ends = sun.side < 0 ? [1, 0.75, 0.1] : [0.1, 0.75, 1];
      for (const [i, exposure] of ends.entries())
        shade.addColorStop(i / 2, css(tone(stage, own, exposure, spot.haze)));
      ctx.fillStyle = shade;
      ctx.beginPath();
      for (const [x, y] of [
        [-half(top), top],
        [half(top), top],
        [half(bottom), bottom],
        [-half(bottom), bottom],
      ] as const)
        ctx.lineTo(50 + x, y);
      ctx.fill();
    }
    const dark = tone(stage, lch(0.3, 0.02, 270), 0.5, spot.haze);
    polygon(ctx, points("38.5,21.5 61.5,21.5 60,25.5 40,25.5"), dark);
    polygon(
      ctx,
      points("44,11 56,11 56,22 44,22"),
      palette.isDark ? lamp : tone(stage, lch(0.86, 0.09, 88), 1, spot.haze),
    );
    for (const x of [44, 48, 52, 56])
      line(
        ctx,
        [
          [x, 11],
          [x, 22],
        ],
        0.8,
        dark,
      );
    line(ctx, points("38,17.5 62,17.5"), 0.7, dark);
    polygon(ctx, points("42.5,11.5 50,3 57.5,11.5"), tone(stage, stripe, 0.6, spot.haze));
    line(ctx, points("50,4 50,-2"), 0.8, dark);
    for (const y of [44, 66]) ellipse(ctx, 50, y, 1.9, 2.8, palette.isDark ? lamp : dark);
    polygon(ctx, points("46,100 46,92 50,89 54,92 54,100"), dark);
  });
  if (palette.isDark || stage.time === "storm") paintBeam(stage, spot);
}

function paintBeam({ ctx, unit, sun }: Stage, spot: Spot): void {
  const [x, y] = [spot.x, spot.y - spot.size * 0.835];
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  for (const way of [sun.side, -sun.side]) {
    const reach = unit * (way === sun.side ? 0.95 : 0.5);
    for (const spread of [0.16, 0.1, 0.05]) {
      const ray = ctx.createLinearGradient(x, y, x + way * reach, y);
      ray.addColorStop(0, css(lamp, 0.3));
      ray.addColorStop(1, css(lamp, 0));
      ctx.fillStyle = ray;
      ctx.beginPath();
      ctx.moveTo(x, y - spot.size * 0.012);
      ctx.lineTo(x + way * reach, y - reach * (spread + 0.06));
      ctx.lineTo(x + way * reach, y + reach * (spread - 0.06));
      ctx.lineTo(x, y + spot.size * 0.012);
      ctx.fill();
    }
  }
  glow(ctx, x, y, spot.size * 0.5, [
    [0, css(lamp, 0.95)],
    [0.12, css(lamp, 0.5)],
    [1, css(lamp, 0)],
  ]);
  ctx.restore();
}

export function paintCastle(stage: Stage, spot: Spot, told: Color | undefined): void {
  const { ctx } = stage;
  const stone = told ?? lch(0.68, 0.03, 70);
  castShadow(stage, spot, 0.8);
  within(ctx, spot, 1, () => {
    for (const tower of [
      { x: 34, top: 40, half: 8, hasRoof: true },
      { x: 68, top: 34, half: 7, hasRoof: true },
      { x: 50, top: 24, half: 10, hasRoof: true },
      { x: 50, top: 68, half: 34, hasRoof: false },
      { x: 14, top: 56, half: 7.5, hasRoof: true },
      { x: 86, top: 56, half: 7.5, hasRoof: true },
    ])
      paintTower(stage, spot.haze, stone, tower);
    const gate = tone(stage, lch(0.28, 0.03, 50), 0.3, spot.haze);
    polygon(ctx, points("43,101 43,86 50,79 57,86 57,101"), gate);
  });
}

interface Tower {
  readonly x: number;
  readonly top: number;
  readonly half: number;
  readonly hasRoof: boolean;
}

function paintTower(stage: Stage, haze: number, stone: Color, tower: Tower): void {
  const { ctx, sun, palette } = stage;
  const { x, top, half, hasRoof } = tower;
  const [left, right] = sun.side < 0 ? [0.95, 0.25] : [0.25, 0.95];
  box(ctx, x - half, top, half * 1.05, 101 - top, tone(stage, stone, left, haze));
  box(ctx, x, top, half, 101 - top, tone(stage, stone, right, haze));
  for (let i = -2; i <= 2; i++) {
    const wide = half * 0.52;
    const merlon = tone(stage, stone, i * sun.side > 0 ? 0.95 : 0.4, haze);
    box(ctx, x + (i * half) / 2.2 - wide / 2, top - 3, wide, 3.5, merlon);
  }
  if (!hasRoof) return;
  const roof = lch(0.42, 0.09, 275);
  const tip = top - half * 3.4;
  const eaves = `${x},${tip} ${x},${top - 2}`;
  polygon(ctx, points(`${x - half * 1.2},${top - 2} ${eaves}`), tone(stage, roof, left, haze));
  polygon(ctx, points(`${x + half * 1.2},${top - 2} ${eaves}`), tone(stage, roof, right, haze));
  box(ctx, x - 0.3, tip - 6, 0.6, 6.5, tone(stage, roof, 0.2, haze));
  const flag = points(`${x},${tip - 6} ${x + 7},${tip - 4.4} ${x},${tip - 2.6}`);
  polygon(ctx, flag, tone(stage, palette.accent, 0.9, haze));
  const glass = palette.isDark ? lamp : tone(stage, lch(0.3, 0.02, 270), 0.3, haze);
  for (const y of [top + 10, top + 26]) ellipse(ctx, x, y, half * 0.17, half * 0.42, glass);
}

export function paintWindmill(
  stage: Stage,
  spot: Spot,
  told: Color | undefined,
  dice: Random,
): void {
  const { ctx, sun } = stage;
  const wall = told ?? lch(0.93, 0.02, 88);
  castShadow(stage, spot, 0.6);
  within(ctx, spot, 1, () => {
    const shade = ctx.createLinearGradient(34, 0, 66, 0);
    shade.addColorStop(sun.side < 0 ? 0 : 1, css(tone(stage, wall, 1, spot.haze)));
    shade.addColorStop(sun.side < 0 ? 1 : 0, css(tone(stage, wall, 0.15, spot.haze)));
    ctx.fillStyle = shade;
    ctx.beginPath();
    for (const [x, y] of [
      [41, 44],
      [59, 44],
      [66, 101],
      [34, 101],
    ] as const)
      ctx.lineTo(x, y);
    ctx.fill();
    const cap = lch(0.42, 0.08, 35);
    polygon(ctx, points("38,45 43,32 50,28 57,32 62,45"), tone(stage, cap, 0.55, spot.haze));
    const wood = tone(stage, lch(0.36, 0.04, 50), 0.4, spot.haze);
    polygon(ctx, points("45,101 45,86 55,86 55,101"), wood);
    ellipse(ctx, 50, 62, 3, 4, wood);
    ctx.translate(50, 40);
    ctx.rotate(dice.between(0.2, 1.3) + stage.atSeconds * 0.9);
    for (let arm = 0; arm < 4; arm++) {
      ctx.rotate(Math.PI / 2);
      line(ctx, points("0,0 0,-44"), 1.5, wood);
      polygon(
        ctx,
        points("0.6,-10 9,-10 9,-43 0.6,-43"),
        tone(stage, lch(0.95, 0.03, 85), 0.8, spot.haze),
        0.92,
      );
      for (let y = -14; y > -43; y -= 5)
        line(
          ctx,
          [
            [0, y],
            [9, y],
          ],
          0.5,
          wood,
        );
      line(ctx, points("4.8,-10 4.8,-43"), 0.5, wood);
    }
    ellipse(ctx, 0, 0, 2.6, 2.6, wood);
  });
}

export function paintTent(stage: Stage, spot: Spot, told: Color | undefined): void {
  const { ctx, sun, palette } = stage;
  const cloth = told ?? lch(0.68, 0.17, 52);
  castShadow(stage, spot, 1);
  within(ctx, spot, 1, () => {
    const [near, far] = sun.side < 0 ? [0.95, 0.35] : [0.45, 0.95];
    polygon(ctx, points("62,18 112,30 132,100 92,100"), tone(stage, cloth, far, spot.haze));
    polygon(ctx, points("62,18 -4,100 92,100"), tone(stage, cloth, near, spot.haze));
    const inside = palette.isDark ? lamp : tone(stage, lch(0.3, 0.03, 50), 0.2, spot.haze);
    polygon(ctx, points("60,34 34,100 72,100"), inside);
    polygon(ctx, points("60,34 72,100 84,100"), tone(stage, lighter(cloth, 0.08), near, spot.haze));
    if (palette.isDark) shine(stage, 52, 80, 90);
  });
}

function shine({ ctx }: Stage, x: number, y: number, radius: number): void {
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  glow(ctx, x, y, radius, [
    [0, css(lamp, 0.42)],
    [1, css(lamp, 0)],
  ]);
  ctx.restore();
}
