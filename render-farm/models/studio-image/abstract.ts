/// <reference lib="dom" />
import { blend, type Color, css, lch, lighter, toRgb } from "./color.ts";
import { clamp01, fractal, gradientNoise, mix } from "./noise.ts";
import type { Random } from "./seeded-random.ts";
import type { Stage } from "./stage.ts";

/** Abstract compositions, for prompts that name nothing that the studio can draw. */
export function paintAbstract(stage: Stage): void {
  const dice = stage.random.fork("abstract");
  const colors = harmony(stage, dice);
  const families = [paintPaper, paintDiscs, paintContours, paintThreads, paintTiles] as const;
  dice.pick(families)(stage, colors, dice);
}

type Colors = readonly [ground: Color, ...Color[]];

function harmony({ brief, palette }: Stage, dice: Random): Colors {
  const hue = dice.between(0, 360);
  const turns = dice.pick([
    [0, 28, 56, 190],
    [0, 150, 210, 30],
    [0, 120, 240, 180],
    [0, 20, 180, 200],
  ]);
  const ground =
    palette.isDark || dice.chance(0.35) ? lch(0.2, 0.045, hue) : lch(0.95, 0.028, hue + 40);
  const free = turns.map((turn, i) =>
    lch(mix(0.48, 0.82, ((i * 2) % 5) / 4), dice.between(0.1, 0.18), hue + turn),
  );
  const told = [...brief.tints];
  return [
    ground,
    ...told,
    ...(told.length > 0 ? told.map((color) => lighter(color, 0.16)) : []),
    ...free.slice(told.length),
  ];
}

function at(colors: Colors, i: number): Color {
  const rest = colors.slice(1);
  return rest[i % rest.length] ?? colors[0];
}

/** Paints layers of cut paper, each with its shadow on the one below. */
function paintPaper({ ctx, width, height, unit }: Stage, colors: Colors, dice: Random): void {
  const noise = gradientNoise(dice);
  const [from, to] = [at(colors, 0), at(colors, 2)];
  ctx.fillStyle = css(lighter(from, 0.12));
  ctx.fillRect(0, 0, width, height);
  const layers = 9;
  const turn = dice.between(-0.5, 0.5);
  ctx.save();
  ctx.translate(width / 2, height / 2);
  ctx.rotate(turn);
  const reach = Math.hypot(width, height) / 2;
  for (let layer = 0; layer < layers; layer++) {
    const share = layer / (layers - 1);
    const base = mix(-reach * 0.72, reach * 0.7, share);
    ctx.shadowColor = "rgb(10 8 30 / 0.5)";
    ctx.shadowBlur = unit * 0.045;
    ctx.shadowOffsetY = -unit * 0.012;
    const color = blend(
      blend(from, at(colors, 1), Math.min(1, share * 2)),
      to,
      Math.max(0, share * 2 - 1),
    );
    const fill = ctx.createLinearGradient(-reach, 0, reach, 0);
    fill.addColorStop(0, css(lighter(color, 0.07)));
    fill.addColorStop(1, css(lighter(color, -0.08)));
    ctx.fillStyle = fill;
    ctx.beginPath();
    ctx.moveTo(-reach * 1.1, reach * 1.2);
    for (let x = -reach * 1.1; x <= reach * 1.1; x += 6)
      ctx.lineTo(
        x,
        base + fractal(noise, (x / unit) * 1.5 + layer * 3.7, layer * 0.6, 2) * unit * 0.5,
      );
    ctx.lineTo(reach * 1.1, reach * 1.2);
    ctx.fill();
  }
  ctx.restore();
}

/** Paints discs, half discs and bars on a quiet ground. */
function paintDiscs({ ctx, width, height, unit }: Stage, colors: Colors, dice: Random): void {
  ctx.fillStyle = css(colors[0]);
  ctx.fillRect(0, 0, width, height);
  const isDark = colors[0].l < 0.5;
  for (let i = 0; i < 15; i++) {
    const big = i < 3;
    const radius = unit * (big ? dice.between(0.2, 0.36) : dice.between(0.02, 0.13));
    const [x, y] = [width * dice.between(0.14, 0.86), height * dice.between(0.14, 0.86)];
    const angle = (dice.index(5) * Math.PI) / 4;
    const color = at(colors, i);
    const fill = ctx.createLinearGradient(x - radius, y - radius, x + radius, y + radius);
    fill.addColorStop(0, css(lighter(color, 0.1), 0.96));
    fill.addColorStop(1, css(lighter(color, -0.09), dice.chance(0.3) ? 0.15 : 0.92));
    ctx.save();
    ctx.globalCompositeOperation = isDark ? "screen" : "multiply";
    ctx.fillStyle = fill;
    ctx.strokeStyle = css(color, 0.9);
    ctx.lineWidth = unit * 0.006;
    ctx.beginPath();
    switch (dice.index(4)) {
      case 0:
        ctx.arc(x, y, radius, angle, angle + Math.PI);
        ctx.fill();
        break;
      case 1:
        for (let ring = 1; ring <= 5; ring++) {
          ctx.moveTo(x + (radius * ring) / 5, y);
          ctx.arc(x, y, (radius * ring) / 5, 0, 7);
        }
        ctx.stroke();
        break;
      case 2:
        ctx.translate(x, y);
        ctx.rotate(angle);
        ctx.roundRect(-radius * 1.5, -radius * 0.13, radius * 3, radius * 0.26, radius * 0.13);
        ctx.fill();
        break;
      default:
        ctx.arc(x, y, radius, 0, 7);
        ctx.fill();
    }
    ctx.restore();
  }
}

/** Paints a relief as contour lines, with each level filled. */
function paintContours({ ctx, width, height, unit }: Stage, colors: Colors, dice: Random): void {
  const noise = gradientNoise(dice);
  const image = ctx.createImageData(width, height);
  const levels = 13;
  const steps = Array.from({ length: levels + 1 }, (_, i) => {
    const share = i / levels;
    return toRgb(
      blend(
        blend(at(colors, 0), at(colors, 1), Math.min(1, share * 2)),
        at(colors, 3),
        Math.max(0, share * 2 - 1),
      ),
    );
  });
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const [x, y] = [(column / unit) * 1.5, (row / unit) * 1.5];
      const value = clamp01(0.5 + fractal(noise, x, y, 4) * 0.95) * levels;
      const below = fractal(noise, x - 0.02, y - 0.02, 2) - fractal(noise, x, y, 2);
      const edge = value % 1;
      const shadow = edge < 0.18 ? 0.72 + edge * 1.55 : 1 + below * 0.5;
      const color = steps[Math.floor(value)];
      const pixel = (row * width + column) * 4;
      for (let channel = 0; channel < 3; channel++)
        image.data[pixel + channel] = (color?.[channel] ?? 0) * shadow;
      image.data[pixel + 3] = 255;
    }
  ctx.putImageData(image, 0, 0);
}

/** Paints thousands of fine threads that follow a vector field. */
function paintThreads({ ctx, width, height, unit }: Stage, colors: Colors, dice: Random): void {
  const noise = gradientNoise(dice);
  ctx.fillStyle = css(colors[0]);
  ctx.fillRect(0, 0, width, height);
  ctx.lineCap = "round";
  const count = Math.round((1500 * width * height) / (unit * unit));
  for (let i = 0; i < count; i++) {
    let [x, y] = [dice.between(-0.1, 1.1) * width, dice.between(-0.1, 1.1) * height];
    const region = clamp01(
      0.5 + noise((x / unit) * 1.3 + 40, (y / unit) * 1.3) + dice.between(-0.15, 0.15),
    );
    const color = at(colors, Math.floor(region * 3.99));
    ctx.strokeStyle = css(lighter(color, dice.between(-0.12, 0.14)), 0.66);
    ctx.lineWidth = unit * (0.0008 + 0.006 * dice.next() ** 4);
    ctx.beginPath();
    ctx.moveTo(x, y);
    for (let step = 0; step < 46; step++) {
      const angle = fractal(noise, (x / unit) * 1.2, (y / unit) * 1.2, 2) * 7;
      x += Math.cos(angle) * unit * 0.009;
      y += Math.sin(angle) * unit * 0.009;
      ctx.lineTo(x, y);
    }
    ctx.stroke();
  }
}

/** Paints a grid of quarter circles and squares. */
function paintTiles({ ctx, width, height, unit }: Stage, colors: Colors, dice: Random): void {
  const size = unit / dice.pick([4, 5, 6]);
  for (let top = 0; top < height; top += size)
    for (let left = 0; left < width; left += size) {
      const [first, second] = [dice.index(5), dice.index(4)];
      const ground = first === 4 ? colors[0] : at(colors, first);
      const shape = at(colors, second === first ? second + 1 : second);
      ctx.fillStyle = css(ground);
      ctx.fillRect(left, top, size + 1, size + 1);
      const fill = ctx.createLinearGradient(left, top, left + size, top + size);
      fill.addColorStop(0, css(lighter(shape, 0.06)));
      fill.addColorStop(1, css(lighter(shape, -0.07)));
      ctx.fillStyle = fill;
      const [cornerX, cornerY] = [left + size * dice.index(2), top + size * dice.index(2)];
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, size + 1, size + 1);
      ctx.clip();
      ctx.beginPath();
      const isQuarter = dice.chance(0.72);
      if (isQuarter) ctx.arc(cornerX, cornerY, size, 0, 7);
      else ctx.arc(left + size / 2, top + size / 2, size * 0.32, 0, 7);
      ctx.fill();
      if (isQuarter && dice.chance(0.5)) {
        ctx.fillStyle = css(ground);
        ctx.beginPath();
        ctx.arc(cornerX, cornerY, size * 0.5, 0, 7);
        ctx.fill();
      }
      ctx.restore();
    }
}
