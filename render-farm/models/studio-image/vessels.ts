/// <reference lib="dom" />
import {
  box,
  ellipse,
  line,
  listLimbs,
  type Point,
  points,
  polygon,
  type Spot,
  tone,
  traceLimbs,
  within,
} from "./brush.ts";
import { type Color, css, lch, lighter } from "./color.ts";
import type { Random } from "./seeded-random.ts";
import type { Stage } from "./stage.ts";

/** Vessels on water and in space. A boat's reflection is the boat painted again, upside down. */
export function paintBoat(stage: Stage, spot: Spot, color: Color): void {
  mirror(stage, spot, () => paintSailboat(stage, spot, color));
}

export function paintShip(stage: Stage, spot: Spot, color: Color, word: string): void {
  mirror(stage, spot, () =>
    /galleon|pirate|schooner|frigate/.test(word)
      ? paintGalleon(stage, spot, color)
      : paintSteamer(stage, spot, color),
  );
}

function mirror({ ctx, palette }: Stage, spot: Spot, paint: () => void): void {
  ctx.save();
  ctx.globalAlpha = 0.3;
  ctx.translate(0, 2 * spot.y);
  ctx.scale(1, -1);
  paint();
  ctx.restore();
  paint();
  ctx.strokeStyle = css(palette.light, 0.4);
  ctx.lineWidth = spot.size * 0.008;
  for (const [from, to, down] of [
    [-0.36, 0.3, 0.012],
    [-0.2, 0.42, 0.034],
    [-0.42, 0.1, 0.06],
  ] as const) {
    ctx.beginPath();
    ctx.moveTo(spot.x + from * spot.size, spot.y + down * spot.size);
    ctx.lineTo(spot.x + to * spot.size, spot.y + down * spot.size);
    ctx.stroke();
  }
}

function paintSailboat(stage: Stage, spot: Spot, color: Color): void {
  const { ctx, sun } = stage;
  within(ctx, spot, -sun.side, () => {
    const hull = tone(stage, lch(0.42, 0.07, 45), 0.4, spot.haze);
    const sail = ctx.createLinearGradient(20, 0, 86, 0);
    sail.addColorStop(0, css(tone(stage, color, 1, spot.haze)));
    sail.addColorStop(1, css(tone(stage, color, 0.5, spot.haze)));
    ctx.fillStyle = sail;
    ctx.beginPath();
    ctx.moveTo(49, 4);
    ctx.quadraticCurveTo(30, 44, 15, 80);
    ctx.quadraticCurveTo(34, 82, 49, 80);
    ctx.fill();
    ctx.fillStyle = css(tone(stage, lighter(color, 0.05), 0.72, spot.haze));
    ctx.beginPath();
    ctx.moveTo(53, 12);
    ctx.quadraticCurveTo(74, 46, 86, 80);
    ctx.quadraticCurveTo(66, 79, 54, 81);
    ctx.fill();
    line(ctx, points("51,2 51,90"), 1.4, hull);
    polygon(ctx, points("12,87 90,86 80,100 24,100"), hull);
    polygon(
      ctx,
      points("12,87 90,86 88.5,89.4 13.5,90.2"),
      tone(stage, lch(0.93, 0.02, 85), 0.8, spot.haze),
    );
  });
}

function paintGalleon(stage: Stage, spot: Spot, color: Color): void {
  const { ctx, sun } = stage;
  within(ctx, spot, -sun.side, () => {
    const wood = tone(stage, lch(0.36, 0.055, 50), 0.35, spot.haze);
    for (const [x, top, wide] of [
      [22, 24, 13],
      [50, 8, 18],
      [78, 20, 14],
    ] as const) {
      line(
        ctx,
        [
          [x, top - 4],
          [x, 82],
        ],
        1.5,
        wood,
      );
      for (const [i, y] of [top + 2, top + 22, top + 42].entries()) {
        const half = wide * (0.62 + i * 0.2);
        ctx.fillStyle = css(tone(stage, color, 0.95 - i * 0.12, spot.haze));
        ctx.beginPath();
        ctx.moveTo(x - half * 0.86, y);
        ctx.lineTo(x + half * 0.86, y);
        ctx.quadraticCurveTo(x + half * 1.35, y + 9, x + half, y + 18);
        ctx.quadraticCurveTo(x, y + 13, x - half, y + 18);
        ctx.quadraticCurveTo(x - half * 0.6, y + 9, x - half * 0.86, y);
        ctx.fill();
      }
      polygon(
        ctx,
        [
          [x, top - 4],
          [x + 8, top - 2],
          [x, top],
        ],
        tone(stage, stage.palette.accent, 0.8, spot.haze),
      );
    }
    line(ctx, points("92,80 110,66"), 1.3, wood);
    polygon(ctx, points("2,70 14,72 18,82 80,82 88,75 98,76 88,101 14,101"), wood);
    for (let x = 24; x < 82; x += 9)
      ellipse(ctx, x, 89, 1.5, 1.5, tone(stage, lch(0.85, 0.11, 80), 0.9, spot.haze));
  });
}

function paintSteamer(stage: Stage, spot: Spot, color: Color): void {
  const { ctx, sun, palette } = stage;
  const dye = (own: Color, exposure: number): Color => tone(stage, own, exposure, spot.haze);
  const white = lch(0.95, 0.01, 90);
  const glass = palette.isDark ? lch(0.9, 0.13, 82) : dye(lch(0.5, 0.05, 240), 0.5);
  within(ctx, spot, -sun.side, () => {
    for (const x of [30, 50]) {
      box(ctx, x + 1, 26, 11, 32, dye(color, 0.6));
      box(ctx, x + 1, 26, 11, 6, dye(lch(0.25, 0.01, 270), 0.4));
      const smoke = tone(stage, white, 0.5, 0.4);
      for (let i = 0; i < 7; i++)
        ellipse(ctx, x + 4 - i * 12, 20 - i * 4, 6 + i * 3, 4 + i * 2, smoke, 0.22);
    }
    for (const [x, y, wide] of [
      [12, 62, 78],
      [18, 50, 60],
    ] as const) {
      box(ctx, x, y, wide, 13, dye(white, 0.85));
      for (let i = 4; i < wide - 4; i += 6) box(ctx, x + i, y + 4, 3, 4, glass);
    }
    polygon(ctx, points("-8,74 112,72 98,101 4,101"), dye(lch(0.3, 0.04, 262), 0.4));
    polygon(ctx, points("2.5,96 100.5,96 98,101 4,101"), dye(color, 0.5));
  });
}

const whaleBack = listLimbs(`
  14 118 15  30 84 20  50 50 18  68 22 11  75 12 7
  48 74 5  66 86 5  78 104 2
  34 66 4  16 62 4  -2 72 1.4`);
const whaleThroat = listLimbs("40 104 7  54 72 9  68 38 7.4  76 17 3.4");

/** Paints a leaping whale, cut off at the surface of the water, in its spray. */
export function paintWhale(stage: Stage, spot: Spot, told: Color | undefined, dice: Random): void {
  const { ctx, sun } = stage;
  const skin = told ?? lch(0.36, 0.04, 255);
  within(ctx, spot, sun.side, () => {
    ctx.save();
    ctx.beginPath();
    ctx.rect(-120, -60, 340, 158);
    ctx.clip();
    for (const [color, limbs] of [
      [tone(stage, skin, 0.3, spot.haze), whaleBack],
      [tone(stage, lch(0.86, 0.02, 240), 0.7, spot.haze), whaleThroat],
    ] as const) {
      ctx.fillStyle = css(color);
      ctx.beginPath();
      traceLimbs(ctx, limbs);
      ctx.fill();
    }
    const groove = tone(stage, skin, 0.35, spot.haze);
    for (let i = 0; i < 6; i++) {
      const [bottom, middle] = [`${46 + i * 2.3},${100 - i}`, `${62 + i * 1.6},${58 - i * 3}`];
      const top = `${72 + i * 0.9},${26 - i * 1.4}`;
      line(ctx, points(`${bottom} ${middle} ${top}`), 0.6, groove, 0.7);
    }
    ellipse(ctx, 59, 32, 1.2, 1.2, lch(0.15, 0.01, 260));
    ctx.restore();
    paintSpray(stage, spot, dice);
  });
}

function paintSpray(stage: Stage, spot: Spot, dice: Random): void {
  const { ctx } = stage;
  const foam = tone(stage, lch(0.98, 0.01, 220), 1, spot.haze * 0.5);
  for (let i = 0; i < 150; i++) {
    const away = (dice.next() + dice.next() - 1) * 66;
    const up = dice.next() ** 2.4 * (52 - Math.abs(away) * 0.5);
    const [wide, tall] = [dice.between(0.6, 2.6), dice.between(0.6, 2.2)];
    ellipse(ctx, 34 + away, 99 - up, wide, tall, foam, 0.55);
  }
  ellipse(ctx, 34, 100, 62, 4.6, foam, 0.42);
}

export function paintRocket(stage: Stage, spot: Spot, told: Color | undefined, dice: Random): void {
  const { ctx } = stage;
  const trim = told ?? stage.palette.accent;
  ctx.save();
  ctx.translate(spot.x, spot.y);
  ctx.rotate(dice.between(0.25, 0.65));
  ctx.scale(spot.size / 100, spot.size / 100);
  for (const [wide, long, hue, alpha] of [
    [17, 130, 40, 0.35],
    [12, 92, 62, 0.6],
    [6.5, 56, 95, 0.95],
  ] as const) {
    const fire = ctx.createLinearGradient(0, 40, 0, 40 + long);
    fire.addColorStop(0, css(lch(0.94, 0.1, hue + 20), alpha));
    fire.addColorStop(0.4, css(lch(0.78, 0.18, hue), alpha * 0.7));
    fire.addColorStop(1, css(lch(0.6, 0.2, hue - 10), 0));
    ctx.fillStyle = fire;
    ctx.beginPath();
    ctx.moveTo(-wide * 0.6, 40);
    ctx.quadraticCurveTo(-wide * 1.5, 40 + long * 0.4, 0, 40 + long);
    ctx.quadraticCurveTo(wide * 1.5, 40 + long * 0.4, wide * 0.6, 40);
    ctx.fill();
  }
  const fin = (side: number): Point[] => [
    [side * 10, 12],
    [side * 26, 40],
    [side * 25, 52],
    [side * 9, 38],
  ];
  polygon(ctx, fin(-1), tone(stage, trim, 0.95, 0));
  polygon(ctx, fin(1), tone(stage, trim, 0.45, 0));
  const body = ctx.createLinearGradient(-15, 0, 15, 0);
  body.addColorStop(0, css(lch(0.97, 0.01, 90)));
  body.addColorStop(0.55, css(lch(0.86, 0.02, 260)));
  body.addColorStop(1, css(lch(0.55, 0.05, 275)));
  ctx.fillStyle = body;
  ctx.beginPath();
  ctx.moveTo(0, -50);
  ctx.bezierCurveTo(20, -26, 18, 14, 10, 42);
  ctx.lineTo(-10, 42);
  ctx.bezierCurveTo(-18, 14, -20, -26, 0, -50);
  ctx.fill();
  ctx.save();
  ctx.clip();
  polygon(ctx, points("-20,-28 20,-28 20,-54 -20,-54"), tone(stage, trim, 0.8, 0));
  polygon(ctx, points("-20,30 20,30 20,36 -20,36"), tone(stage, trim, 0.7, 0));
  ctx.restore();
  ellipse(ctx, 0, -10, 7.4, 7.4, lch(0.5, 0.03, 270));
  ellipse(ctx, 0, -10, 5.4, 5.4, lch(0.78, 0.1, 225));
  ellipse(ctx, -1.8, -12, 1.8, 1.4, lch(0.98, 0.01, 225));
  ctx.restore();
}
