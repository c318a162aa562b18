/// <reference lib="dom" />
import { traceLimbs } from "./brush.ts";
import { blend, type Color, css, lch, lighter } from "./color.ts";
import { fractal, gradientNoise, mix } from "./noise.ts";
import type { Subject } from "./prompt.ts";
import type { Random } from "./seeded-random.ts";
import { glow, type Stage } from "./stage.ts";

/** Scenes below the surface: light from above, a reef, fish, jellyfish, bubbles. */
export function paintUnderwater(stage: Stage): void {
  paintDepth(stage);
  paintReef(stage, 0);
  paintReef(stage, 1);
  paintSchool(stage);
  paintReef(stage, 2);
  paintReef(stage, 3);
  paintDrifters(stage);
}

function chooseWater({ brief, random }: Stage): Color {
  const told =
    brief.colorsByNoun.get("underwater") ?? brief.colorsByNoun.get("sea") ?? brief.tints[0];
  return told ?? lch(0.55, 0.105, random.fork("water").between(205, 235));
}

function findSubject({ brief }: Stage, wanted: Subject["kind"]): Subject | undefined {
  return brief.subjects.find(({ kind }) => kind === wanted);
}

/** Paints jellyfish and bubbles, in front of everything else. */
export function paintDrifters(stage: Stage): void {
  const jelly = findSubject(stage, "jellyfish");
  if (jelly !== undefined) paintJellies(stage, jelly, stage.random.fork("jellyfish"));
  paintBubbles(stage, stage.random.fork("bubbles"));
}

/** Paints the open water and the light that falls into it. */
export function paintDepth(stage: Stage): void {
  const own = chooseWater(stage);
  const water = findSubject(stage, "jellyfish") === undefined ? own : lighter(own, -0.16);
  const { ctx, width, height, unit, random, atSeconds } = stage;
  const dice = random.fork("depth");
  const depth = ctx.createLinearGradient(0, 0, 0, height);
  depth.addColorStop(0, css({ ...lighter(water, 0.33), a: water.a * 0.7, b: water.b * 0.7 }));
  depth.addColorStop(0.3, css(lighter(water, 0.1)));
  depth.addColorStop(0.7, css(lighter(water, -0.16)));
  depth.addColorStop(1, css(lighter(water, -0.33)));
  ctx.fillStyle = depth;
  ctx.fillRect(0, 0, width, height);
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  const sourceX = stage.sun.x;
  glow(ctx, sourceX, -unit * 0.05, unit * 0.75, [
    [0, css(lch(0.98, 0.04, 190), 0.75)],
    [0.4, css(lch(0.9, 0.08, 195), 0.22)],
    [1, css(lch(0.8, 0.1, 200), 0)],
  ]);
  for (let ray = 0; ray < 16; ray++) {
    const sway = 0.05 * (Math.sin(atSeconds * 0.8 + ray * 2.4) - Math.sin(ray * 2.4));
    const angle = Math.PI / 2 + (ray / 15 - 0.5) * 1.5 + dice.between(-0.05, 0.05) + sway;
    const reach = height * dice.between(0.6, 1.05);
    const half = dice.between(0.012, 0.045);
    const light = ctx.createLinearGradient(0, 0, 0, reach);
    light.addColorStop(0, css(lch(0.97, 0.04, 190), dice.between(0.06, 0.2)));
    light.addColorStop(1, css(lch(0.9, 0.06, 195), 0));
    ctx.fillStyle = light;
    ctx.beginPath();
    const startX = sourceX + (ray / 15 - 0.5) * unit * 0.9;
    for (const [side, far] of [
      [-1, 0],
      [1, 0],
      [1, 1],
      [-1, 1],
    ] as const)
      ctx.lineTo(
        startX + side * unit * 0.012 + far * Math.cos(angle + side * -half) * reach,
        far * reach - unit * 0.02,
      );
    ctx.fill();
  }
  ctx.restore();
}

/** Paints one row of rock and coral, from 0 (far) to 3. */
export function paintReef(stage: Stage, row: number): void {
  const { ctx, width, height, unit } = stage;
  const water = chooseWater(stage);
  const dice = stage.random.fork(`reef ${row}`);
  const noise = gradientNoise(dice);
  const near = row / 3;
  const murk = lighter(water, mix(0.0, -0.24, near));
  const base = (x: number): number =>
    mix(height * 0.76, height * 0.97, near) +
    fractal(noise, (x / unit) * 2.4, row * 4, 4) * unit * 0.2 -
    Math.abs(x / width - 0.5) ** 2 * unit * mix(0.9, 0.55, near);
  const growths = Math.round(mix(46, 22, near) * (width / unit));
  for (let i = 0; i < growths; i++) {
    const x = dice.between(-0.03, 1.03) * width;
    const size = unit * mix(0.045, 0.17, near) * dice.between(0.5, 1.3);
    const coral = lch(0.66, 0.17, dice.pick([10, 30, 345, 300, 75, 175, 50]));
    const ink = blend(blend(coral, murk, mix(0.8, 0.16, near)), lch(0.2, 0.05, 260), 0.14 * near);
    const growth = dice.pick([paintStaghorn, paintKelp, paintBrainCoral, paintTubes]);
    growth(ctx, x, base(x) + size * 0.1, size, ink, dice);
  }
  const rock = ctx.createLinearGradient(0, height * 0.7, 0, height);
  rock.addColorStop(0, css(blend(lighter(murk, 0.04), lch(0.5, 0.05, 60), 0.12)));
  rock.addColorStop(1, css(lighter(murk, -0.16)));
  ctx.fillStyle = rock;
  ctx.beginPath();
  ctx.moveTo(0, height);
  for (let x = 0; x <= width + 6; x += 6) ctx.lineTo(x, base(x));
  ctx.lineTo(width, height);
  ctx.fill();
}

type Growth = (
  ctx: OffscreenCanvasRenderingContext2D,
  x: number,
  y: number,
  size: number,
  ink: Color,
  dice: Random,
) => void;

const paintStaghorn: Growth = (ctx, x, y, size, ink, dice) =>
  growBranch(ctx, x, y, size * 0.42, -Math.PI / 2, size * 0.075, 5, ink, dice);

const paintKelp: Growth = (ctx, x, y, size, ink, dice) => {
  ctx.lineWidth = size * 0.05;
  ctx.lineCap = "round";
  for (let blade = -3; blade <= 3; blade++) {
    const lean = blade * size * 0.09;
    const tall = size * dice.between(1, 1.7);
    ctx.strokeStyle = css(lighter(ink, dice.between(-0.08, 0.08)));
    ctx.beginPath();
    ctx.moveTo(x + lean * 0.3, y);
    ctx.bezierCurveTo(x + lean, y - size * 0.6, x - lean, y - size * 0.9, x + lean * 2.2, y - tall);
    ctx.stroke();
  }
};

const paintBrainCoral: Growth = (ctx, x, y, size, ink) => {
  for (let ring = 5; ring > 0; ring--) {
    ctx.fillStyle = css(lighter(ink, (5 - ring) * 0.028));
    ctx.beginPath();
    ctx.ellipse(x, y, (size * ring) / 8, (size * ring) / 9, 0, Math.PI, 0);
    ctx.fill();
  }
};

const paintTubes: Growth = (ctx, x, y, size, ink, dice) => {
  for (let tube = -2; tube <= 2; tube++) {
    const at = x + tube * size * 0.16;
    const tall = size * dice.between(0.45, 1);
    ctx.fillStyle = css(lighter(ink, dice.between(-0.05, 0.05)));
    ctx.beginPath();
    traceLimbs(ctx, [
      [
        [at, y, size * 0.06],
        [at, y - tall, size * 0.085],
      ],
    ]);
    ctx.fill();
    ctx.fillStyle = css(lighter(ink, -0.17));
    ctx.beginPath();
    ctx.ellipse(at, y - tall - size * 0.02, size * 0.055, size * 0.03, 0, 0, 7);
    ctx.fill();
  }
};

function growBranch(
  ctx: OffscreenCanvasRenderingContext2D,
  x: number,
  y: number,
  length: number,
  angle: number,
  thick: number,
  levels: number,
  ink: Color,
  dice: Random,
): void {
  if (levels === 0) return;
  const [toX, toY] = [x + Math.cos(angle) * length, y + Math.sin(angle) * length];
  ctx.strokeStyle = css(lighter(ink, (5 - levels) * 0.02));
  ctx.lineWidth = thick;
  ctx.lineCap = "round";
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
  ctx.stroke();
  for (const turn of [-0.42, 0.42])
    growBranch(
      ctx,
      toX,
      toY,
      length * 0.74,
      angle + turn * dice.between(0.6, 1.4),
      thick * 0.78,
      levels - 1,
      ink,
      dice,
    );
}

export function paintSchool(stage: Stage): void {
  const { width, height, unit, sun, atSeconds } = stage;
  const fish = findSubject(stage, "fish");
  if (fish === undefined && findSubject(stage, "jellyfish") !== undefined) return;
  const water = chooseWater(stage);
  const dice = stage.random.fork("school");
  const count = fish === undefined ? 24 : Math.max(1, fish.count);
  const color =
    fish?.color ??
    (/shark/.test(fish?.word ?? "")
      ? lch(0.5, 0.03, 250)
      : lch(0.74, 0.17, dice.pick([55, 85, 30])));
  const facing = -sun.side;
  for (let i = 0; i < count; i++) {
    const far = i / Math.max(1, count - 1);
    const one = unit * (count === 1 ? 0.32 : mix(0.045, 0.13, far ** 3));
    const x = width * 0.5 + (dice.next() + dice.next() - 1) * width * (count === 1 ? 0.03 : 0.42);
    const y =
      height * 0.44 + (dice.next() + dice.next() - 1) * height * (count === 1 ? 0.04 : 0.26);
    const swum = facing * atSeconds * (0.3 + 0.25 * Math.sin(i * 7.3)) * one;
    const bob = (Math.sin(atSeconds * 1.7 + i * 2.1) - Math.sin(i * 2.1)) * one * 0.12;
    paintFish(stage, x + swum, y + bob, one, facing, blend(color, water, 0.5 * (1 - far)), dice);
  }
}

function paintFish(
  { ctx, palette, atSeconds }: Stage,
  x: number,
  y: number,
  size: number,
  facing: number,
  color: Color,
  dice: Random,
): void {
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(dice.between(-0.12, 0.12));
  const turn = atSeconds === 0 ? 1 : 1 - 0.06 * (1 + Math.sin(atSeconds * 7 + y));
  ctx.scale((facing * size * turn) / 100, size / 100);
  ctx.fillStyle = css(lighter(color, -0.1));
  for (const fin of [
    "M-34 0 Q-50 -26 -64 -30 Q-54 0 -64 30 Q-50 26 -34 0Z",
    "M-14 -20 Q6 -46 26 -20Z",
    "M-6 20 Q-2 40 16 20Z",
  ])
    ctx.fill(new Path2D(fin));
  const body = ctx.createLinearGradient(0, -24, 0, 24);
  body.addColorStop(0, css(lighter(color, 0.09)));
  body.addColorStop(0.5, css(color));
  body.addColorStop(1, css(lighter(color, -0.2)));
  ctx.fillStyle = body;
  const trunk = new Path2D("M50 2 Q34 -24 2 -24 Q-24 -22 -40 -3 L-40 3 Q-24 22 2 24 Q34 24 50 2Z");
  ctx.fill(trunk);
  ctx.clip(trunk);
  ctx.fillStyle = css(lighter({ ...color, a: color.a * 0.3, b: color.b * 0.3 }, 0.2), 0.75);
  ctx.fillRect(14, -30, 7, 60);
  ctx.fillRect(-16, -30, 6, 60);
  ctx.fillStyle = css(lch(0.97, 0.01, 90));
  ctx.beginPath();
  ctx.arc(34, -5, 5, 0, 7);
  ctx.fill();
  ctx.fillStyle = css(palette.shadow);
  ctx.beginPath();
  ctx.arc(35, -5, 2.8, 0, 7);
  ctx.fill();
  ctx.restore();
}

function paintJellies(stage: Stage, { color, count }: Subject, dice: Random): void {
  const { ctx, width, height, unit, atSeconds } = stage;
  const own = color ?? lch(0.78, 0.16, dice.pick([345, 320, 20, 300]));
  for (let i = count - 1; i >= 0; i--) {
    const size = unit * (i === 0 ? 0.3 : dice.between(0.09, 0.2));
    const x = width * (i === 0 ? 0.5 - stage.sun.side * 0.12 : dice.between(0.12, 0.88));
    const y = height * (i === 0 ? 0.36 : dice.between(0.15, 0.6));
    const beat = Math.sin(atSeconds * 2.2 + i * 1.9) - Math.sin(i * 1.9);
    ctx.save();
    ctx.translate(x, y - (beat * 0.06 + atSeconds * 0.05) * size);
    ctx.scale(1 - beat * 0.035, 1 + beat * 0.05);
    paintJelly(ctx, 0, 0, size, own, dice);
    ctx.restore();
  }
}

function paintJelly(
  ctx: OffscreenCanvasRenderingContext2D,
  x: number,
  y: number,
  size: number,
  own: Color,
  dice: Random,
): void {
  glow(ctx, x, y, size * 1.1, [
    [0, css(own, 0.5)],
    [1, css(own, 0)],
  ]);
  ctx.lineCap = "round";
  for (let arm = 0; arm < 15; arm++) {
    const from = x + (arm / 14 - 0.5) * size * 0.86;
    const sway = size * dice.between(-0.3, 0.3);
    const long = size * dice.between(0.7, 1.7);
    const fade = ctx.createLinearGradient(0, y, 0, y + long);
    fade.addColorStop(0, css(own, 0.6));
    fade.addColorStop(1, css(own, 0));
    ctx.strokeStyle = fade;
    ctx.lineWidth = size * (arm % 3 === 0 ? 0.045 : 0.012);
    ctx.beginPath();
    ctx.moveTo(from, y + size * 0.06);
    ctx.bezierCurveTo(
      from + sway,
      y + long * 0.35,
      from - sway,
      y + long * 0.65,
      from + sway * 0.7,
      y + long,
    );
    ctx.stroke();
  }
  const bell = ctx.createRadialGradient(x, y - size * 0.1, size * 0.05, x, y, size * 0.56);
  bell.addColorStop(0, css(lighter(own, 0.16), 0.42));
  bell.addColorStop(0.7, css(own, 0.5));
  bell.addColorStop(1, css(lighter(own, 0.12), 0.95));
  ctx.fillStyle = bell;
  ctx.beginPath();
  ctx.moveTo(x - size * 0.52, y + size * 0.1);
  ctx.bezierCurveTo(
    x - size * 0.56,
    y - size * 0.62,
    x + size * 0.56,
    y - size * 0.62,
    x + size * 0.52,
    y + size * 0.1,
  );
  for (let scallop = 0; scallop < 6; scallop++) {
    const right = x + size * (0.52 - (scallop * 1.04) / 6);
    ctx.quadraticCurveTo(
      right - size * 0.087,
      y + size * 0.22,
      right - size * 0.173,
      y + size * 0.1,
    );
  }
  ctx.fill();
}

function paintBubbles({ ctx, width, height, unit, atSeconds }: Stage, dice: Random): void {
  for (let stream = 0; stream < 5; stream++) {
    const x = dice.between(0.06, 0.94) * width;
    for (let i = 0; i < 16; i++) {
      const radius = unit * dice.between(0.0015, 0.0075);
      const [aside, start] = [dice.between(-0.02, 0.02), dice.between(0.05, 0.9)];
      const risen = atSeconds * (0.08 + (radius / unit) * 9);
      const atX = x + (aside + 0.006 * Math.sin(atSeconds * 3 + i * 2)) * unit;
      const atY =
        (start - risen > 0.05 ? start - risen : ((start - risen + 8.4) % 0.85) + 0.05) * height;
      ctx.strokeStyle = css(lch(0.97, 0.03, 195), 0.55);
      ctx.lineWidth = radius * 0.22;
      ctx.beginPath();
      ctx.arc(atX, atY, radius, 0, 7);
      ctx.stroke();
      ctx.fillStyle = css(lch(0.99, 0.01, 195), 0.6);
      ctx.beginPath();
      ctx.arc(atX - radius * 0.35, atY - radius * 0.35, radius * 0.22, 0, 7);
      ctx.fill();
    }
  }
}
