/// <reference lib="dom" />
import { type Point, points, polygon, type Spot, tone, within } from "./brush.ts";
import { blend, type Color, css, lch, lighter } from "./color.ts";
import { mix } from "./noise.ts";
import type { Random } from "./seeded-random.ts";
import type { Stage } from "./stage.ts";

/** Subjects in the air. The `y` of their spot is the middle. */
export function paintKite(stage: Stage, spot: Spot, color: Color, dice: Random, hand: Point): void {
  const { ctx, sun } = stage;
  const lean = sun.side * dice.between(0.3, 0.5);
  const { size } = spot;
  const turn = (x: number, y: number): Point => [
    spot.x + size * (x * Math.cos(lean) - y * Math.sin(lean)),
    spot.y + size * (x * Math.sin(lean) + y * Math.cos(lean)),
  ];
  const middle = turn(0, -0.14);
  const [nose, tip] = [turn(0, -0.5), turn(0, 0.5)];
  const [left, right] = [turn(-0.34, -0.14), turn(0.34, -0.14)];
  paintString(stage, middle, hand, size);
  paintTail(stage, tip, size, color, dice);
  const bright = sun.side < 0 ? 1 : 0.62;
  const dim = sun.side < 0 ? 0.62 : 1;
  const second = blend(color, lch(0.97, 0.04, 85), 0.78);
  polygon(ctx, [nose, left, middle], tone(stage, color, bright, spot.haze));
  polygon(ctx, [nose, right, middle], tone(stage, color, dim, spot.haze));
  polygon(ctx, [left, tip, middle], tone(stage, lighter(color, -0.03), bright * 0.9, spot.haze));
  polygon(ctx, [right, tip, middle], tone(stage, lighter(color, -0.06), dim * 0.85, spot.haze));
  const band = (side: number, from: number, to: number): Point[] => {
    const edge = (t: number): Point => turn(mix(0.34 * side, 0, t), mix(-0.14, 0.5, t));
    const spar = (t: number): Point => turn(0, mix(-0.14, 0.5, t));
    return [edge(from), edge(to), spar(to), spar(from)];
  };
  polygon(ctx, band(-1, 0.34, 0.5), tone(stage, second, bright, spot.haze), 0.92);
  polygon(ctx, band(1, 0.34, 0.5), tone(stage, second, dim, spot.haze), 0.92);
  ctx.strokeStyle = css(tone(stage, lighter(color, -0.25), 0.5, spot.haze), 0.75);
  ctx.lineWidth = Math.max(0.8, size * 0.011);
  ctx.beginPath();
  for (const [from, to] of [
    [nose, tip],
    [left, right],
  ] as const) {
    ctx.moveTo(...from);
    ctx.lineTo(...to);
  }
  ctx.stroke();
}

/** Paints the kite's string, which sags between the kite and the hand that holds it. */
function paintString({ ctx, unit, palette }: Stage, from: Point, to: Point, size: number): void {
  const shade = ctx.createLinearGradient(0, from[1], 0, to[1]);
  shade.addColorStop(0, css(palette.isDark ? palette.light : palette.shadow, 0.6));
  shade.addColorStop(1, css(palette.light, 0.75));
  ctx.strokeStyle = shade;
  ctx.lineWidth = Math.max(0.7, unit * 0.0011);
  ctx.beginPath();
  ctx.moveTo(...from);
  const sagX = mix(from[0], to[0], 0.62);
  ctx.quadraticCurveTo(sagX, mix(from[1], to[1], 0.4) + size * 0.45, ...to);
  ctx.stroke();
}

function paintTail(stage: Stage, from: Point, size: number, color: Color, dice: Random): void {
  const { ctx, sun } = stage;
  const way = -sun.side;
  const phase = dice.between(0, 6) - stage.atSeconds * 4;
  const at = (t: number): Point => [
    from[0] + size * (way * 0.98 * t ** 1.2 + 0.13 * Math.sin(t * 8 + phase) * t),
    from[1] + size * (0.85 * t - 0.3 * t * t + 0.16 * Math.sin(t * 6.5 + phase + 1) * t),
  ];
  ctx.strokeStyle = css(tone(stage, color, 0.7, 0));
  ctx.lineCap = "round";
  for (let i = 0; i < 60; i++) {
    ctx.lineWidth = size * mix(0.024, 0.008, i / 60);
    ctx.beginPath();
    ctx.moveTo(...at(i / 60));
    ctx.lineTo(...at((i + 1.4) / 60));
    ctx.stroke();
  }
  for (let i = 1; i <= 6; i++) {
    const [x, y] = at(i / 6.3);
    const [nextX, nextY] = at(i / 6.3 + 0.02);
    const length = Math.hypot(nextX - x, nextY - y);
    const reach = (size * mix(0.085, 0.05, i / 6)) / length;
    const [alongX, alongY] = [(nextX - x) * reach, (nextY - y) * reach];
    const bow = i % 2 === 0 ? blend(color, lch(0.97, 0.04, 85), 0.75) : color;
    for (const side of [-1, 1])
      polygon(
        ctx,
        [
          [x, y],
          [x - side * alongY + alongX * 0.55, y + side * alongX + alongY * 0.55],
          [x - side * alongY - alongX * 0.55, y + side * alongX - alongY * 0.55],
        ],
        tone(stage, bow, side === sun.side ? 1 : 0.7, 0),
      );
  }
}

export function paintBalloon(stage: Stage, spot: Spot, color: Color, dice: Random): void {
  const { ctx, sun, palette } = stage;
  const foot = { ...spot, y: spot.y + spot.size / 2 };
  const other = dice.pick([
    lch(0.96, 0.04, 88),
    lch(0.85, 0.14, 85),
    blend(color, palette.accent2, 0.8),
  ]);
  const gores = 8;
  within(ctx, foot, 1, () => {
    const edge = (t: number, share: number): Point => {
      const wide = 36 * Math.sin(Math.PI * Math.min(1, t * 0.94 + 0.03) ** 0.78) ** 0.82;
      return [50 + share * Math.max(wide, t > 0.5 ? 7 : 0), 2 + t * 76];
    };
    for (let gore = 0; gore < gores; gore++) {
      const [from, to] = [gore, gore + 1].map((i) => Math.sin(((i / gores) * 2 - 1) * 1.57));
      const outline: Point[] = [];
      for (let t = 0; t <= 1.001; t += 0.04) outline.push(edge(t, from ?? 0));
      for (let t = 1; t >= -0.001; t -= 0.04) outline.push(edge(t, (to ?? 0) + 0.015));
      const middle = ((from ?? 0) + (to ?? 0)) / 2;
      const exposure = 0.5 + 0.5 * sun.side * middle;
      polygon(ctx, outline, tone(stage, gore % 2 === 0 ? color : other, exposure, spot.haze));
    }
    const shade = ctx.createLinearGradient(0, 40, 0, 80);
    shade.addColorStop(0, css(palette.shadow, 0));
    shade.addColorStop(1, css(palette.shadow, 0.4 * (1 - spot.haze)));
    ctx.fillStyle = shade;
    ctx.beginPath();
    for (let t = 0.5; t <= 1.001; t += 0.05) ctx.lineTo(...edge(t, -1));
    for (let t = 1; t >= 0.499; t -= 0.05) ctx.lineTo(...edge(t, 1));
    ctx.fill();
    const rope = tone(stage, lch(0.4, 0.04, 60), 0.4, spot.haze);
    ctx.strokeStyle = css(rope);
    ctx.lineWidth = 0.7;
    for (const x of [43.5, 48, 52, 56.5]) {
      ctx.beginPath();
      ctx.moveTo(x, 78);
      ctx.lineTo(mix(x, 50, 0.25), 90);
      ctx.stroke();
    }
    polygon(
      ctx,
      points("44.5,90 55.5,90 54.5,99 45.5,99"),
      tone(stage, lch(0.5, 0.08, 60), 0.5, spot.haze),
    );
    polygon(
      ctx,
      points("44.5,90 55.5,90 55.3,92 44.7,92"),
      tone(stage, lch(0.62, 0.08, 65), 0.8, spot.haze),
    );
  });
}

/** Paints a gull seen from afar, as two bent wings. */
export function paintBird(stage: Stage, spot: Spot, color: Color, dice: Random): void {
  const { ctx } = stage;
  const rest = dice.between(-0.6, 1);
  const { atSeconds } = stage;
  const flap = Math.sin(atSeconds * (7 + rest) + rest * 9) * (0.55 + 0.45 * Math.sin(rest * 40));
  const beat = atSeconds === 0 ? rest : 0.2 + 0.75 * flap;
  const bank = dice.between(-0.35, 0.35);
  ctx.save();
  ctx.translate(spot.x, spot.y);
  ctx.rotate(bank);
  ctx.scale(spot.size / 100, spot.size / 100);
  ctx.fillStyle = css(tone(stage, color, 0.45, spot.haze));
  for (const side of [-1, 1]) {
    const tipY = -26 * beat + 8;
    ctx.beginPath();
    ctx.moveTo(0, 7);
    ctx.bezierCurveTo(side * 14, -12 - 18 * beat, side * 40, -24 - 12 * beat, side * 92, tipY);
    ctx.bezierCurveTo(side * 52, -10 - 10 * beat, side * 26, 2 - 12 * beat, 0, 15);
    ctx.fill();
  }
  ctx.beginPath();
  ctx.ellipse(2, 9, 17, 6, 0.12, 0, 7);
  ctx.fill();
  ctx.restore();
}

export function paintPlane(stage: Stage, spot: Spot, color: Color): void {
  const { ctx, sun } = stage;
  const facing = -sun.side;
  within(ctx, { ...spot, y: spot.y + spot.size / 2 }, facing, () => {
    ctx.translate(50, 50);
    ctx.rotate(-0.16);
    const trail = ctx.createLinearGradient(-420, 0, -40, 0);
    trail.addColorStop(0, "rgb(255 255 255 / 0)");
    trail.addColorStop(1, "rgb(255 255 255 / 0.6)");
    ctx.fillStyle = trail;
    ctx.fillRect(-420, -2, 380, 4);
    const body = tone(stage, lighter(color, 0.05), 0.9, spot.haze);
    const under = tone(stage, color, 0.25, spot.haze);
    polygon(ctx, points("-4,-2 14,-2 -16,-34 -24,-34"), under);
    ctx.fillStyle = css(body);
    ctx.beginPath();
    ctx.moveTo(64, 1);
    ctx.bezierCurveTo(58, -9, 30, -9, -20, -8);
    ctx.lineTo(-54, -5);
    ctx.lineTo(-66, -24);
    ctx.lineTo(-54, -24);
    ctx.lineTo(-38, -7);
    ctx.bezierCurveTo(-20, 8, 50, 9, 64, 1);
    ctx.fill();
    polygon(ctx, points("-2,3 18,3 -22,42 -32,42"), under);
    ctx.fillStyle = css(lch(0.4, 0.06, 250), 0.8);
    for (let x = -26; x < 46; x += 7) ctx.fillRect(x, -4, 3, 2.6);
  });
}

export function paintButterfly(stage: Stage, spot: Spot, color: Color, dice: Random): void {
  const { ctx } = stage;
  ctx.save();
  ctx.translate(spot.x, spot.y);
  ctx.rotate(dice.between(-0.5, 0.5));
  ctx.scale(spot.size / 100, spot.size / 100);
  const dark = tone(stage, lch(0.22, 0.03, 40), 0.4, spot.haze);
  for (const side of [-1, 1])
    for (const [grow, ink] of [
      [1, dark],
      [0.82, tone(stage, color, side === stage.sun.side ? 1 : 0.7, spot.haze)],
    ] as const) {
      ctx.save();
      const open = stage.atSeconds === 0 ? 1 : 0.3 + 0.7 * Math.abs(Math.cos(stage.atSeconds * 11));
      ctx.scale(side * 0.82 * open, 1);
      ctx.fillStyle = css(ink);
      ctx.beginPath();
      ctx.moveTo(1, 0);
      ctx.bezierCurveTo(14 * grow, -52 * grow, 66 * grow, -60 * grow, 60 * grow, -22 * grow);
      ctx.bezierCurveTo(56 * grow, 0, 30 * grow, 4 * grow, 1, 4);
      ctx.bezierCurveTo(40 * grow, 4 * grow, 52 * grow, 28 * grow, 34 * grow, 44 * grow);
      ctx.bezierCurveTo(18 * grow, 52 * grow, 6 * grow, 26 * grow, 1, 8);
      ctx.fill();
      ctx.restore();
    }
  ctx.fillStyle = css(dark);
  ctx.beginPath();
  ctx.ellipse(0, 4, 3.4, 24, 0, 0, 7);
  ctx.fill();
  ctx.restore();
}
