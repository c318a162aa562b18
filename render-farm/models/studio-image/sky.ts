/// <reference lib="dom" />
import { blend, type Color, css, lch, lighter, toRgb } from "./color.ts";
import { clamp01, fractal, gradientNoise, mix, type Noise, smoothstep } from "./noise.ts";
import { glow, newCanvas, type Stage } from "./stage.ts";

/** Edge in pixels of the blocks for which clouds are computed. */
export const coarse = 3;

/**
 * Paints everything behind the land: gradient, stars, aurora, sun or moon, clouds. Clouds are
 * domain-warped noise at a third of the picture's size, lit from the sun's side and enlarged
 * smoothly.
 */
export function paintSky(stage: Stage): void {
  paintGradient(stage);
  if (isStarry(stage)) paintStars(stage);
  if (stage.brief.weathers.has("aurora")) paintAurora(stage);
  if (stage.time !== "storm" || stage.brief.subjects.some(({ kind }) => kind === "sun"))
    paintSun(stage);
  paintClouds(stage);
}

/** Paints the parts of the sky that do not move. */
export function paintStillSky(stage: Stage): void {
  paintGradient(stage);
  if (isStarry(stage)) paintStars(stage);
  if (stage.time !== "storm" || stage.brief.subjects.some(({ kind }) => kind === "sun"))
    paintSun(stage);
}

export function isStarry({ palette, brief }: Stage): boolean {
  if (brief.unwanted.has("stars")) return false;
  return palette.isDark || brief.weathers.has("stars");
}

function paintGradient({ ctx, width, height, horizon, palette }: Stage): void {
  const bottom = Math.min(height, horizon * 1.02);
  const gradient = ctx.createLinearGradient(0, 0, 0, bottom);
  const [zenith, upper, middle, low, last] = palette.sky;
  const stops: readonly (readonly [number, Color])[] = [
    [0, zenith],
    [0.3, upper],
    [0.58, middle],
    [0.82, low],
    [1, last],
  ];
  for (const [i, [at, color]] of stops.entries()) {
    gradient.addColorStop(at, css(color));
    const following = stops[i + 1];
    if (following === undefined) break;
    for (const part of [0.33, 0.66])
      gradient.addColorStop(
        mix(at, following[0], part),
        css(blend(color, following[1], smoothstep(0, 1, part))),
      );
  }
  ctx.fillStyle = gradient;
  ctx.fillRect(0, 0, width, height);
}

function paintStars({ ctx, width, horizon, unit, palette, random, time, brief }: Stage): void {
  const dice = random.fork("stars");
  const band = dice.between(-0.5, 0.5);
  const count = time === "night" || brief.weathers.has("stars") ? 900 : 260;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  for (let i = 0; i < count; i++) {
    const inBand = dice.chance(0.55);
    const x = dice.between(0, width);
    const spread = (dice.next() + dice.next() + dice.next() - 1.5) * 0.5;
    const across = 0.42 + band * (x / width - 0.5) + spread * 0.42;
    const y = (inBand ? across : dice.next() ** 1.3) * horizon;
    const size = unit * (0.0005 + 0.0014 * dice.next() ** 9);
    const strength = (0.25 + 0.75 * dice.next() ** 2) * (1 - smoothstep(0.55, 1, y / horizon));
    const warm = dice.chance(0.25) ? lch(0.92, 0.06, 70) : lch(0.95, 0.03, 250);
    ctx.fillStyle = css(warm, strength);
    ctx.beginPath();
    ctx.arc(x, y, size, 0, 7);
    ctx.fill();
    if (size > unit * 0.00165)
      glow(ctx, x, y, size * 7, [
        [0, css(warm, strength * 0.5)],
        [1, css(warm, 0)],
      ]);
  }
  for (let i = 0; i < 26; i++) {
    const x = (i / 25) * width;
    const y = (0.42 + band * (x / width - 0.5)) * horizon;
    const radius = unit * dice.between(0.12, 0.24);
    glow(ctx, x, y + dice.between(-0.04, 0.04) * unit, radius, [
      [0, css(lighter(palette.sky[3], 0.12), time === "night" ? 0.075 : 0.03)],
      [1, css(palette.sky[3], 0)],
    ]);
  }
  ctx.restore();
}

export function paintAurora({ ctx, width, horizon, unit, random, atSeconds }: Stage): void {
  const dice = random.fork("aurora");
  const noise = gradientNoise(dice);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  for (let curtain = 0; curtain < 3; curtain++) {
    const hue = dice.pick([150, 158, 168, 175]);
    const base = horizon * dice.between(0.5, 0.72);
    const step = unit / 420;
    for (let x = -unit * 0.1; x < width + unit * 0.1; x += step) {
      const t = x / unit;
      const y =
        base + fractal(noise, t * 1.3 + curtain * 9 + atSeconds * 0.06, curtain, 3) * unit * 0.24;
      const rays =
        0.35 +
        0.65 *
          clamp01(0.5 + noise(t * 26 + atSeconds * 0.5, curtain * 5 + 0.5 + atSeconds * 0.4) * 0.9);
      const tall =
        unit * (0.2 + 0.26 * clamp01(0.5 + noise(t * 2.4 - atSeconds * 0.2, curtain + 40)));
      const strength = rays * 0.5 * clamp01(0.75 + noise(t * 1.6 + atSeconds * 0.15, curtain + 20));
      const gradient = ctx.createLinearGradient(0, y - tall, 0, y + unit * 0.02);
      gradient.addColorStop(0, css(lch(0.55, 0.2, 310), 0));
      gradient.addColorStop(0.45, css(lch(0.6, 0.17, hue + 60), strength * 0.28));
      gradient.addColorStop(0.86, css(lch(0.83, 0.19, hue), strength));
      gradient.addColorStop(1, css(lch(0.8, 0.15, hue), 0));
      ctx.fillStyle = gradient;
      ctx.fillRect(x, y - tall, step * 1.6, tall + unit * 0.02);
    }
  }
  ctx.restore();
}

function paintSun(stage: Stage): void {
  const { ctx, unit, palette, sun, time, brief } = stage;
  if (brief.unwanted.has(sun.isMoon ? "moon" : "sun")) return;
  const warm = sun.isMoon ? lighter(palette.light, 0.08) : palette.light;
  const reach = (sun.isMoon ? 0.42 : time === "day" ? 0.6 : 0.95) * unit;
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  glow(ctx, sun.x, sun.y, reach, [
    [0, css(warm, sun.isMoon ? 0.42 : 0.6)],
    [0.12, css(warm, sun.isMoon ? 0.2 : 0.4)],
    [0.4, css(palette.sky[3], sun.isMoon ? 0.07 : 0.16)],
    [1, css(palette.sky[3], 0)],
  ]);
  ctx.restore();
  if (sun.isMoon) paintMoon(stage);
  else paintDisc(stage);
}

function paintDisc({ ctx, palette, sun, time, brief }: Stage): void {
  const told = brief.subjects.find(({ kind }) => kind === "sun")?.color;
  const disc = told ?? blend(palette.light, lch(0.99, 0.02, 90), time === "dusk" ? 0.15 : 0.7);
  const core = blend(disc, lch(0.995, 0.015, 95), told ? 0 : 0.7);
  const edge = brief.style === "retro" || brief.style === "minimal" ? 0.985 : 0.9;
  glow(ctx, sun.x, sun.y, sun.radius, [
    [0, css(core)],
    [0.55, css(blend(core, disc, 0.4))],
    [edge, css(disc)],
    [1, css(disc, 0)],
  ]);
}

function paintMoon({ ctx, sun, random, brief }: Stage): void {
  const dice = random.fork("moon");
  const told = brief.subjects.find(({ kind }) => kind === "moon");
  const face = told?.color ?? lch(0.94, 0.025, 92);
  ctx.save();
  ctx.beginPath();
  ctx.arc(sun.x, sun.y, sun.radius, 0, 7);
  ctx.clip();
  ctx.fillStyle = css(face);
  ctx.fillRect(sun.x - sun.radius, sun.y - sun.radius, 2 * sun.radius, 2 * sun.radius);
  for (let i = 0; i < 18; i++) {
    const angle = dice.between(0, 7);
    const away = sun.radius * Math.sqrt(dice.next()) * 0.95;
    const x = sun.x + Math.cos(angle) * away;
    const y = sun.y + Math.sin(angle) * away;
    glow(ctx, x, y, sun.radius * dice.between(0.1, 0.42), [
      [0, css(lch(0.7, 0.025, 260), 0.3)],
      [0.7, css(lch(0.72, 0.025, 260), 0.14)],
      [1, css(lch(0.75, 0.02, 260), 0)],
    ]);
  }
  const shade = ctx.createRadialGradient(
    sun.x - sun.radius * 0.3,
    sun.y - sun.radius * 0.3,
    sun.radius * 0.4,
    sun.x,
    sun.y,
    sun.radius,
  );
  shade.addColorStop(0, "rgb(20 25 60 / 0)");
  shade.addColorStop(1, "rgb(20 25 60 / 0.34)");
  ctx.fillStyle = shade;
  ctx.fillRect(sun.x - sun.radius, sun.y - sun.radius, 2 * sun.radius, 2 * sun.radius);
  ctx.restore();
}

function paintClouds(stage: Stage): void {
  const { ctx, width, height, horizon, random } = stage;
  const dice = random.fork("clouds");
  const cover = cloudCover(stage, dice.between(-0.06, 0.1));
  if (cover < -0.5) return;
  const columns = Math.round(width / coarse);
  const rows = Math.round(Math.min(height, horizon * 1.02) / coarse);
  const small = newCanvas(columns, rows);
  const image = small.createImageData(columns, rows);
  const shade = cloudShade(stage, cover, gradientNoise(dice), dice.between(0, 90));
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      shade(column * coarse, row * coarse, image.data, (row * columns + column) * 4);
  small.putImageData(image, 0, 0);
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(small.canvas, 0, 0, columns * coarse, rows * coarse);
}

export type Shade = (x: number, y: number, pixels: Uint8ClampedArray, at: number) => void;

/** Colours a pixel of cloud: bright where little cloud lies towards the sun, else dark. */
export function cloudShade(stage: Stage, cover: number, noise: Noise, drift: number): Shade {
  const { width, horizon, unit, palette, sun, time, brief } = stage;
  const told = brief.colorsByNoun.get("clouds");
  const bright = toRgb(told ?? blend(palette.light, lch(0.99, 0.01, 80), 0.35));
  const dark = toRgb(blend(palette.sky[time === "storm" ? 0 : 2], palette.shadow, 0.32));
  const warm = toRgb(blend(palette.sky[3], palette.light, 0.35));
  const dense = time === "night" ? 0.5 : 0.84;
  return (pixelX, pixelY, pixels, at) => {
    const fall = pixelY / horizon;
    const depth = 1 / (1.12 - Math.min(1, fall) * 0.92);
    const x = ((pixelX - width / 2) / unit) * depth * 1.15 + drift;
    const y = depth * 2.1 + drift;
    const bend = noise(x * 0.9 + 5, y * 1.3) * 0.35;
    const value = fractal(noise, x * 1.5 + bend, y * 2.1 + bend, 5) + cover;
    if (value <= 0) return;
    const toward = (sun.x - pixelX) / unit;
    const ahead = fractal(noise, x * 1.5 + bend + toward * 0.09, y * 2.1 + bend + 0.1, 3) + cover;
    const rim = clamp01(0.5 + (value - ahead) * 2.6);
    const near = Math.exp(-(toward * toward + ((sun.y - pixelY) / unit) ** 2) * 4.5);
    const lift = clamp01(rim * 0.85 + near * 0.5);
    for (let channel = 0; channel < 3; channel++) {
      const shaded = mix(dark[channel] ?? 0, warm[channel] ?? 0, clamp01(rim * 1.3));
      pixels[at + channel] = mix(shaded, bright[channel] ?? 0, lift);
    }
    pixels[at + 3] = 255 * smoothstep(0, 0.34, value) * (dense - 0.3 * smoothstep(0.55, 1, fall));
  };
}

/** Returns the cloud cover: above 0 the sky is closed, below -0.5 it is clear. */
export function cloudCover({ time, brief }: Stage, luck: number): number {
  if (brief.settings.includes("clouds")) return 0.16 + luck;
  if (brief.style === "minimal" || brief.unwanted.has("clouds")) return -1;
  if (time === "storm") return 0.28 + luck;
  if (time === "night") return -0.16 + luck;
  return -0.06 + luck;
}
