/// <reference lib="dom" />
import { blend, css, lch } from "./color.ts";
import { glow, type Stage } from "./stage.ts";

/** Weather between the viewer and the scene: whatever falls or drifts. */
export function paintWeather(stage: Stage): void {
  const { weathers } = stage.brief;
  if (weathers.has("lightning")) paintLightning(stage);
  if (weathers.has("fog")) paintFog(stage);
  if (weathers.has("rain")) paintRain(stage);
  if (weathers.has("snowfall")) paintSnowfall(stage);
  if (stage.brief.subjects.some(({ kind }) => kind === "rainbow")) paintRainbow(stage);
}

export function paintRain({ ctx, width, height, unit, random, atSeconds }: Stage): void {
  const dice = random.fork("rain");
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.lineCap = "round";
  for (let i = 0; i < 900; i++) {
    const near = dice.next() ** 2;
    const fallen = atSeconds * (1.1 + 1.5 * near);
    const [fromX, fromY] = [dice.between(-0.1, 1.1), dice.between(-0.1, 1)];
    const x = wrap(fromX - fallen * 0.2, -0.1, 1.1) * width;
    const y = wrap(fromY + fallen, -0.1, 1) * height;
    const long = unit * (0.02 + 0.075 * near);
    ctx.strokeStyle = css(lch(0.9, 0.02, 235), 0.12 + 0.26 * near);
    ctx.lineWidth = unit * (0.0007 + 0.0014 * near);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x - long * 0.22, y + long);
    ctx.stroke();
  }
  ctx.restore();
}

export function paintSnowfall({ ctx, width, height, unit, random, atSeconds }: Stage): void {
  const dice = random.fork("snowfall");
  for (let i = 0; i < 520; i++) {
    const near = dice.next() ** 4;
    const radius = unit * (0.0012 + 0.0085 * near);
    const [fromX, fromY] = [dice.between(0, 1), dice.between(0, 1)];
    const sway = 0.012 * Math.sin(atSeconds * (0.7 + near) + fromX * 40) - atSeconds * 0.02;
    const x = wrap(fromX + (atSeconds === 0 ? 0 : sway), 0, 1) * width;
    const y = wrap(fromY + atSeconds * (0.05 + 0.22 * near), 0, 1) * height;
    glow(ctx, x, y, radius * 1.5, [
      [0, css(lch(0.99, 0.004, 240), 0.9 - 0.4 * near)],
      [0.5, css(lch(0.98, 0.006, 240), 0.6 - 0.3 * near)],
      [1, css(lch(0.98, 0.006, 240), 0)],
    ]);
  }
}

export function paintFog({
  ctx,
  width,
  height,
  unit,
  horizon,
  palette,
  random,
  brief,
}: Stage): void {
  // A forest already has mist between its rows of trees.
  if (brief.settings.includes("forest")) return;
  const dice = random.fork("fog");
  const color = blend(palette.haze, palette.sky[4], 0.5);
  for (let i = 0; i < 26; i++) {
    const y = horizon + dice.between(-0.12, 0.22) * unit;
    const wide = unit * dice.between(0.4, 1);
    ctx.save();
    ctx.translate(dice.between(-0.1, 1.1) * width, y);
    ctx.scale(1, 0.16);
    glow(ctx, 0, 0, wide, [
      [0, css(color, 0.18)],
      [1, css(color, 0)],
    ]);
    ctx.restore();
  }
  const low = ctx.createLinearGradient(0, horizon - unit * 0.25, 0, height);
  low.addColorStop(0, css(color, 0));
  low.addColorStop(0.35, css(color, 0.25));
  low.addColorStop(1, css(color, 0.05));
  ctx.fillStyle = low;
  ctx.fillRect(0, horizon - unit * 0.25, width, height);
}

export function paintLightning({ ctx, width, horizon, unit, random, sun }: Stage): void {
  const dice = random.fork("lightning");
  const ink = lch(0.97, 0.03, 285);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const bolt = (fromX: number, fromY: number, toY: number, thick: number): void => {
    let [x, y] = [fromX, fromY];
    glow(ctx, x, (fromY + toY) / 2, unit * 0.3, [
      [0, css(ink, 0.22 * thick)],
      [1, css(ink, 0)],
    ]);
    while (y < toY) {
      const [nextX, nextY] = [
        x + dice.between(-0.026, 0.026) * unit,
        y + dice.between(0.012, 0.035) * unit,
      ];
      for (const [wide, alpha] of [
        [0.012, 0.16],
        [0.005, 0.4],
        [0.0022, 1],
      ] as const) {
        ctx.strokeStyle = css(ink, alpha);
        ctx.lineWidth = unit * wide * thick;
        ctx.beginPath();
        ctx.moveTo(x, y);
        ctx.lineTo(nextX, nextY);
        ctx.stroke();
      }
      if (thick > 0.6 && dice.chance(0.13))
        bolt(nextX, nextY, Math.min(toY, nextY + unit * 0.16), thick * 0.45);
      x = nextX;
      y = nextY;
    }
  };
  bolt(width * (0.5 + sun.side * dice.between(0.1, 0.28)), horizon * 0.08, horizon, 1);
  ctx.restore();
}

export function paintRainbow({ ctx, width, horizon, unit, sun }: Stage): void {
  const [x, y] = [width * (0.5 - sun.side * 0.12), horizon * 1.08];
  const radius = unit * 0.62;
  const bow = ctx.createRadialGradient(x, y, radius * 0.88, x, y, radius);
  const hues = [310, 285, 255, 205, 145, 100, 65, 30];
  bow.addColorStop(0, css(lch(0.8, 0.15, 310), 0));
  for (const [i, hue] of hues.entries())
    bow.addColorStop(0.08 + (i / 7) * 0.84, css(lch(0.82, 0.16, hue), 0.42));
  bow.addColorStop(1, css(lch(0.75, 0.15, 20), 0));
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = bow;
  ctx.fillRect(0, 0, width, horizon);
  ctx.restore();
}

/** Wraps a value around: leaving the range on one side, it enters on the other. */
function wrap(value: number, low: number, high: number): number {
  if (value >= low && value < high) return value;
  const span = high - low;
  return low + ((((value - low) % span) + span) % span);
}
