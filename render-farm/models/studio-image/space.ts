/// <reference lib="dom" />
import { blend, type Color, css, lch, toRgb } from "./color.ts";
import { clamp01, fractal, gradientNoise, mix, smoothstep } from "./noise.ts";
import type { Random } from "./seeded-random.ts";
import { glow, newCanvas, type Stage } from "./stage.ts";

/** Paints deep space: a nebula of warped noise, stars, planets lit by one distant sun. */
export function paintSpace(stage: Stage): void {
  paintNebula(stage);
  paintStarfield(stage);
  paintPlanets(stage);
}

export function paintPlanets(stage: Stage): void {
  const { random, brief } = stage;
  const planet = brief.subjects.find(({ kind }) => kind === "planet");
  const moon = brief.subjects.find(({ kind }) => kind === "moon");
  const dice = random.fork("planets");
  const isRinged = /saturn|ring/.test(planet?.word ?? "") || dice.chance(0.5);
  const { width, height, unit, sun } = stage;
  const [x, y] = [width * (0.5 + sun.side * 0.17), height * dice.between(0.52, 0.62)];
  const own = planet?.color ?? lch(dice.between(0.6, 0.72), 0.12, dice.between(0, 360));
  paintPlanet(stage, x, y, unit * dice.between(0.21, 0.29), own, isRinged, dice);
  const small = moon?.color ?? lch(0.78, 0.05, dice.between(0, 360));
  paintPlanet(
    stage,
    width * (0.5 - sun.side * 0.27),
    height * 0.27,
    unit * 0.06,
    small,
    false,
    dice,
  );
}

export function paintNebula({ ctx, width, height, unit, brief, random }: Stage): void {
  const dice = random.fork("nebula");
  const noise = gradientNoise(dice);
  const hue = dice.between(0, 360);
  const [tint, second] = brief.tints;
  const first = tint ?? brief.colorsByNoun.get("space") ?? lch(0.6, 0.19, hue);
  const other = second ?? lch(0.66, 0.16, hue + dice.pick([70, 110, 150]));
  const colors = [lch(0.1, 0.03, 275), first, other, lch(0.93, 0.06, 80)].map(toRgb);
  const [columns, rows] = [Math.ceil(width / 3), Math.ceil(height / 3)];
  const small = newCanvas(columns, rows);
  const image = small.createImageData(columns, rows);
  const lean = dice.between(-0.7, 0.7);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const x = ((column - columns / 2) * 3) / unit;
      const y = ((row - rows / 2) * 3) / unit;
      const bendX = fractal(noise, x * 1.6 + 4, y * 1.6, 4);
      const bendY = fractal(noise, x * 1.6 - 9, y * 1.6 + 7, 4);
      const cloud = fractal(noise, x * 2.1 + bendX * 1.9, y * 2.1 + bendY * 1.9, 5);
      const veins =
        1 - Math.abs(fractal(noise, x * 3 + bendY * 2.4, y * 3 + bendX * 2.4 + 20, 4)) * 2.4;
      const band = Math.exp(-(((y - x * lean + bendX * 0.3) / 0.42) ** 2));
      const dense = clamp01((cloud * 1.1 + 0.34) * (0.3 + band));
      const core = smoothstep(0.45, 0.95, dense) * clamp01(veins);
      const turn = clamp01(0.5 + bendX * 1.5);
      const at = (row * columns + column) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const gas = mix(colors[1]?.[channel] ?? 0, colors[2]?.[channel] ?? 0, turn);
        const dim = mix(colors[0]?.[channel] ?? 0, gas, Math.min(1, dense * 1.15));
        image.data[at + channel] = mix(dim, colors[3]?.[channel] ?? 0, core * 0.75);
      }
      image.data[at + 3] = 255;
    }
  small.putImageData(image, 0, 0);
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(small.canvas, 0, 0, columns * 3, rows * 3);
}

export function paintStarfield({ ctx, width, height, unit, random }: Stage): void {
  const dice = random.fork("starfield");
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  for (let i = 0; i < 1300; i++) {
    const size = unit * (0.0005 + 0.0019 * dice.next() ** 22);
    const [x, y] = [dice.between(0, width), dice.between(0, height)];
    const ink = lch(0.95, 0.05, dice.pick([250, 250, 70, 20]));
    ctx.fillStyle = css(ink, 0.3 + 0.7 * dice.next() ** 2);
    ctx.beginPath();
    ctx.arc(x, y, size, 0, 7);
    ctx.fill();
    if (size > unit * 0.0016) paintSpikes(ctx, x, y, size, ink);
  }
  ctx.restore();
}

function paintSpikes(
  ctx: OffscreenCanvasRenderingContext2D,
  x: number,
  y: number,
  size: number,
  ink: Color,
): void {
  glow(ctx, x, y, size * 12, [
    [0, css(ink, 0.6)],
    [0.2, css(ink, 0.16)],
    [1, css(ink, 0)],
  ]);
  for (const [wide, tall] of [
    [size * 16, size * 0.5],
    [size * 0.5, size * 16],
  ] as const) {
    ctx.fillStyle = css(ink, 0.55);
    ctx.beginPath();
    ctx.ellipse(x, y, wide, tall, 0, 0, 7);
    ctx.fill();
  }
}

export function paintPlanet(
  stage: Stage,
  x: number,
  y: number,
  radius: number,
  own: Color,
  isRinged: boolean,
  dice: Random,
): void {
  const { ctx, sun } = stage;
  const lean = dice.between(-0.45, -0.2) * sun.side;
  const air = blend(own, lch(0.85, 0.1, 220), 0.5);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  glow(ctx, x, y, radius * 1.32, [
    [0.7, css(air, 0.42)],
    [0.8, css(air, 0.13)],
    [1, css(air, 0)],
  ]);
  ctx.restore();
  if (isRinged) paintRings(ctx, x, y, radius, lean, own, "far");
  paintGlobe(stage, x, y, radius, lean, own, dice);
  if (isRinged) paintRings(ctx, x, y, radius, lean, own, "near");
}

function paintGlobe(
  { ctx, sun }: Stage,
  x: number,
  y: number,
  radius: number,
  lean: number,
  own: Color,
  dice: Random,
): void {
  const noise = gradientNoise(dice);
  const size = Math.ceil(radius * 2) + 2;
  const globe = newCanvas(size, size);
  const image = globe.createImageData(size, size);
  const dark = toRgb({ ...own, l: own.l - 0.2 });
  const bright = toRgb({ l: own.l + 0.2, a: own.a * 0.6, b: own.b * 0.6 });
  const rim = toRgb(blend(own, lch(0.92, 0.08, 220), 0.6));
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const u = (column + 0.5 - size / 2) / radius;
      const v = (row + 0.5 - size / 2) / radius;
      const away = u * u + v * v;
      if (away > 1.02) continue;
      const w = Math.sqrt(Math.max(0, 1 - away));
      const across = u * Math.cos(lean) + v * Math.sin(lean);
      const along = v * Math.cos(lean) - u * Math.sin(lean);
      const swirl = fractal(noise, across * 1.7 + w, along * 4, 4) * 0.5;
      const band = clamp01(0.5 + 0.9 * fractal(noise, swirl, along * 5.5 + swirl * 1.6, 4));
      const light = sun.side * u * 0.72 - v * 0.5 + w * 0.42;
      const day = 0.03 + smoothstep(-0.16, 0.85, light) * 1.06;
      const edge = (1 - w) ** 3 * smoothstep(-0.1, 0.6, light) * 0.85;
      const at = (row * size + column) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const ground = mix(dark[channel] ?? 0, bright[channel] ?? 0, band) * day;
        image.data[at + channel] = mix(ground, rim[channel] ?? 0, edge);
      }
      image.data[at + 3] = 255 * clamp01((1 - Math.sqrt(away)) * radius + 0.5);
    }
  globe.putImageData(image, 0, 0);
  ctx.drawImage(globe.canvas, x - size / 2, y - size / 2);
}

function paintRings(
  ctx: OffscreenCanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  lean: number,
  own: Color,
  half: "far" | "near",
): void {
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(lean);
  ctx.scale(1, 0.24);
  const [from, to] = half === "far" ? [Math.PI, Math.PI * 2] : [0, Math.PI];
  for (let ring = 0; ring < 46; ring++) {
    const t = ring / 45;
    if (t > 0.58 && t < 0.64) continue;
    const thin = 0.5 + 0.5 * Math.sin(t * 41) * Math.sin(t * 17 + 2);
    ctx.strokeStyle = css(
      { l: 0.84 - t * 0.14, a: own.a * 0.35, b: own.b * 0.35 + 0.03 },
      0.22 + 0.5 * thin,
    );
    ctx.lineWidth = radius * 0.023;
    ctx.beginPath();
    ctx.arc(0, 0, radius * mix(1.32, 2.15, t), from, to);
    ctx.stroke();
  }
  ctx.restore();
}
