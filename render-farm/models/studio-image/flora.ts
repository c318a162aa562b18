/// <reference lib="dom" />
import {
  castShadow,
  line,
  type Point,
  points,
  polygon,
  type Spot,
  tone,
  traceLimbs,
  within,
} from "./brush.ts";
import { blend, type Color, css, lch, lighter } from "./color.ts";
import { mix } from "./noise.ts";
import type { Random } from "./seeded-random.ts";
import type { Stage } from "./stage.ts";

/** Trees, cacti, flowers and grass. */
const bark = lch(0.38, 0.045, 50);

export function paintTree(
  stage: Stage,
  spot: Spot,
  word: string,
  told: Color | undefined,
  dice: Random,
): void {
  castShadow(stage, spot, 0.5);
  if (/pine|fir|spruce|conifer|taiga/.test(word))
    paintConifer(stage, spot, told ?? lch(0.42, 0.07, 155), dice);
  else if (/cypress/.test(word)) paintConifer(stage, spot, told ?? lch(0.4, 0.08, 140), dice, 0.5);
  else paintBroadleaf(stage, spot, told ?? leafColor(stage, word, dice), dice);
}

function leafColor({ brief, time }: Stage, word: string, dice: Random): Color {
  if (/cherry|sakura|blossom/.test(word)) return lch(0.82, 0.1, 355);
  if (/maple/.test(word)) return lch(0.58, 0.18, 35);
  if (/birch/.test(word)) return lch(0.72, 0.14, 110);
  if (brief.settings.includes("snow")) return lch(0.9, 0.015, 240);
  return lch(0.5, 0.115, time === "golden" ? dice.between(95, 130) : dice.between(125, 148));
}

function paintBroadleaf(stage: Stage, spot: Spot, leaf: Color, dice: Random): void {
  const { ctx, sun } = stage;
  within(ctx, spot, 1, () => {
    ctx.fillStyle = css(tone(stage, bark, 0.35, spot.haze));
    ctx.beginPath();
    traceLimbs(ctx, [
      [
        [50, 101, 4],
        [49.5, 80, 2.8],
        [51, 60, 2.2],
      ],
      [
        [50, 74, 1.9],
        [40, 56, 1.3],
      ],
      [
        [50, 70, 1.7],
        [61, 52, 1.2],
      ],
    ]);
    ctx.fill();
    const puffs: { x: number; y: number; radius: number }[] = [];
    for (let i = 0; i < 46; i++) {
      const angle = dice.between(0, Math.PI * 2);
      const away = Math.sqrt(dice.next());
      const y = 36 + Math.sin(angle) * away * 29;
      puffs.push({ x: 50 + Math.cos(angle) * away * 35, y, radius: dice.between(6.5, 12.5) });
    }
    puffs.sort((a, b) => b.y + b.radius - (a.y + a.radius));
    for (const layer of [0, 1, 2])
      for (const { x, y, radius } of puffs) {
        const up = (66 - y) / 60;
        const exposure = 0.16 + up * 0.55 + ((x - 50) / 40) * sun.side * 0.26 + layer * 0.12;
        const grow = [1, 0.74, 0.4][layer] ?? 1;
        const [shiftX, shiftY] = [sun.side * layer * radius * 0.24, -layer * radius * 0.26];
        ctx.fillStyle = css(tone(stage, leaf, Math.min(1, exposure), spot.haze));
        ctx.beginPath();
        ctx.arc(x + shiftX, y + shiftY, radius * grow, 0, 7);
        ctx.fill();
      }
  });
}

export function paintConifer(
  stage: Stage,
  spot: Spot,
  needle: Color,
  dice: Random,
  slim = 1,
): void {
  const { ctx, sun, brief } = stage;
  const isSnowy = brief.settings.includes("snow");
  const wide = dice.between(19, 25) * slim;
  const tiers = 9;
  within(ctx, spot, 1, () => {
    polygon(ctx, points("48.4,84 51.6,84 52.2,101 47.8,101"), tone(stage, bark, 0.3, spot.haze));
    for (let tier = tiers - 1; tier >= 0; tier--) {
      const top = mix(0, 74, tier / tiers) - 2;
      const bottom = mix(14, 93, (tier + 1) / tiers) - 6;
      const reach = wide * ((tier + 1) / tiers) ** 0.86 * dice.between(0.9, 1.08);
      const sides: Point[] = [];
      for (let i = 0; i <= 8; i++) {
        const t = i / 8;
        const droop = (Math.abs(t - 0.5) * 2) ** 1.6 * -3 + (i % 2 === 0 ? 0 : -2.6);
        sides.push([50 + (t * 2 - 1) * reach, bottom + droop]);
      }
      const exposure = 0.2 + 0.3 * (1 - tier / tiers);
      polygon(ctx, [[50, top], ...sides], tone(stage, needle, exposure, spot.haze));
      const bright: Point[] = sides.filter(([x]) => (x - 50) * sun.side >= 0);
      const light = isSnowy ? lch(0.95, 0.012, 240) : lighter(needle, 0.06);
      polygon(
        ctx,
        [[50, top], ...bright, [50 + sun.side * reach * 0.2, bottom - 6]],
        tone(stage, light, exposure + 0.4, spot.haze),
        isSnowy ? 0.7 : 0.6,
      );
    }
  });
}

export function paintPalm(stage: Stage, spot: Spot, told: Color | undefined, dice: Random): void {
  const { ctx, sun } = stage;
  const leaf = told ?? lch(0.5, 0.12, 140);
  const lean = dice.between(-14, 14);
  castShadow(stage, spot, 0.4);
  within(ctx, spot, 1, () => {
    ctx.fillStyle = css(tone(stage, lch(0.48, 0.05, 60), 0.45, spot.haze));
    ctx.beginPath();
    traceLimbs(ctx, [
      [
        [50, 101, 2.9],
        [50 + lean * 0.2, 70, 2],
        [50 + lean, 30, 1.6],
      ],
    ]);
    ctx.fill();
    const crown: Point = [50 + lean, 29];
    for (let frond = 0; frond < 11; frond++) {
      const angle = -0.35 + (frond / 10) * 3.85 + dice.between(-0.12, 0.12);
      const [wayX, wayY] = [-Math.cos(angle), -Math.sin(angle)];
      const reach = dice.between(27, 34);
      const at = (t: number): Point => [
        crown[0] + wayX * reach * t,
        crown[1] + wayY * reach * 0.62 * t + 19 * t * t,
      ];
      const exposure = 0.35 + 0.4 * Math.max(0, wayX * sun.side) + 0.2 * -Math.min(0, wayY);
      const ink = tone(stage, leaf, exposure, spot.haze);
      for (let t = 0.06; t < 1; t += 0.035) {
        const [x, y] = at(t);
        const long = 9.5 * Math.sin(Math.PI * Math.min(1, t * 0.85 + 0.12));
        line(
          ctx,
          [
            [x, y],
            [x + wayX * 3.4 - 1.2, y + long],
          ],
          0.95,
          ink,
        );
        line(
          ctx,
          [
            [x, y],
            [x + wayX * 5 + 1.2, y + long * 0.72],
          ],
          0.95,
          lighter(ink, 0.04),
        );
      }
      line(ctx, [at(0), at(0.25), at(0.5), at(0.75), at(1)], 1.1, ink);
    }
  });
}

export function paintCactus(stage: Stage, spot: Spot, told: Color | undefined): void {
  const { ctx, sun } = stage;
  const skin = told ?? lch(0.52, 0.095, 150);
  castShadow(stage, spot, 0.5);
  within(ctx, spot, 1, () => {
    const limbs = [
      [
        [50, 100, 8],
        [50, 50, 8.4],
        [50, 9, 7.4],
      ],
      [
        [45, 66, 5],
        [32, 64, 5],
        [27, 56, 5],
        [27, 36, 4.8],
      ],
      [
        [55, 56, 5],
        [67, 54, 5],
        [72, 46, 5],
        [72, 22, 4.6],
      ],
    ] as const;
    for (const [shift, exposure] of [
      [0, 0.22],
      [1.5, 0.55],
      [3, 0.9],
    ] as const) {
      ctx.fillStyle = css(tone(stage, skin, exposure, spot.haze));
      ctx.beginPath();
      const thin = limbs.map((limb) =>
        limb.map(([x, y, r]) => [x + sun.side * shift, y, r - shift * 1.15] as const),
      );
      traceLimbs(ctx, thin);
      ctx.fill();
    }
    for (const x of [45, 48.5, 52, 55.5])
      line(
        ctx,
        [
          [x, 98],
          [x, 12],
        ],
        0.5,
        tone(stage, lighter(skin, -0.15), 0.4, spot.haze),
        0.5,
      );
  });
}

export function paintFlower(
  stage: Stage,
  spot: Spot,
  word: string,
  told: Color | undefined,
  dice: Random,
): void {
  const { ctx } = stage;
  const petal = told ?? petalColor(word, dice);
  const lean = dice.between(-9, 9);
  const stem = tone(stage, lch(0.5, 0.11, 135), dice.between(0.2, 0.6), spot.haze);
  within(ctx, spot, 1, () => {
    line(
      ctx,
      [
        [50, 101],
        [50 + lean * 0.3, 66],
        [50 + lean, 24],
      ],
      2.2,
      stem,
    );
    ctx.fillStyle = css(stem);
    for (const side of [-1, 1]) {
      ctx.beginPath();
      ctx.moveTo(50 + lean * 0.2, 82);
      ctx.quadraticCurveTo(50 + side * 16, 70, 50 + side * 22, 54);
      ctx.quadraticCurveTo(50 + side * 6, 66, 50 + lean * 0.2, 82);
      ctx.fill();
    }
    ctx.translate(50 + lean, 22);
    ctx.rotate(dice.between(-0.3, 0.3));
    if (/tulip/.test(word)) paintCup(stage, petal, spot.haze);
    else paintRosette(stage, petal, word, spot.haze, dice);
  });
}

function petalColor(word: string, dice: Random): Color {
  if (/sunflower/.test(word)) return lch(0.84, 0.17, 88);
  if (/daisy|lily/.test(word)) return lch(0.96, 0.015, 95);
  if (/poppy|poppies|rose/.test(word)) return lch(0.6, 0.22, dice.between(22, 34));
  if (/sakura|cherry|peony|lotus/.test(word)) return lch(0.8, 0.12, 356);
  return lch(dice.between(0.6, 0.85), 0.17, dice.pick([20, 350, 85, 320, 300, 55]));
}

function paintCup({ ctx, ...rest }: Stage, petal: Color, haze: number): void {
  const stage = { ctx, ...rest };
  for (const [x, exposure] of [
    [-8, 0.45],
    [8, 0.75],
    [0, 1],
  ] as const) {
    ctx.fillStyle = css(tone(stage, petal, exposure, haze));
    ctx.beginPath();
    ctx.moveTo(x * 0.4, 14);
    ctx.bezierCurveTo(x - 15, 8, x - 11, -12, x * 1.35, -20);
    ctx.bezierCurveTo(x + 11, -12, x + 15, 8, x * 0.4, 14);
    ctx.fill();
  }
}

function paintRosette(stage: Stage, petal: Color, word: string, haze: number, dice: Random): void {
  const { ctx } = stage;
  const isMany = /daisy|sunflower/.test(word);
  const count = isMany ? 15 : 6;
  const tall = dice.between(0.72, 0.95);
  ctx.scale(1, tall);
  for (let i = 0; i < count; i++) {
    const angle = (i / count) * Math.PI * 2 + dice.between(-0.1, 0.1);
    const exposure = 0.62 - 0.38 * Math.sin(angle) * 0.9;
    ctx.save();
    ctx.rotate(angle);
    ctx.fillStyle = css(tone(stage, petal, exposure, haze));
    ctx.beginPath();
    ctx.moveTo(3, 0);
    const wide = isMany ? 5.4 : 14;
    ctx.bezierCurveTo(9, -wide, 24, -wide, 25, 0);
    ctx.bezierCurveTo(24, wide, 9, wide, 3, 0);
    ctx.fill();
    ctx.restore();
  }
  const heart = /sunflower|poppy|poppies/.test(word) ? lch(0.26, 0.04, 50) : lch(0.84, 0.15, 85);
  const size = /sunflower/.test(word) ? 11 : 6;
  for (const [grow, by] of [
    [1, -0.06],
    [0.66, 0.05],
  ] as const) {
    ctx.fillStyle = css(tone(stage, lighter(heart, by), 0.7, haze));
    ctx.beginPath();
    ctx.arc(0, -1, size * grow, 0, 7);
    ctx.fill();
  }
}

/** Paints blades of grass along the lower edge as a foreground. */
export function paintGrass(stage: Stage, top: number, blades: number, dice: Random): void {
  const { ctx, width, height, unit, palette, brief } = stage;
  const told = brief.colorsByNoun.get("meadow") ?? lch(0.56, 0.12, 126);
  const wind = stage.sun.side * -0.4;
  for (let i = 0; i < blades; i++) {
    const near = i / blades;
    const x = dice.between(-0.05, 1.05) * width;
    const y = mix(top, height * 1.03, near ** 0.8);
    const tall = unit * mix(0.018, 0.085, near) * dice.between(0.6, 1.3);
    const bend = tall * (wind + dice.between(-0.45, 0.45));
    const hue = blend(told, lch(0.72, 0.12, 100), dice.next() * 0.5);
    const ink = tone(stage, hue, dice.between(0.1, 0.95) * (1 - near * 0.35), 0.12 * (1 - near));
    ctx.strokeStyle = css(blend(ink, palette.shadow, near * 0.12), 0.9);
    ctx.lineWidth = unit * mix(0.0012, 0.0034, near);
    ctx.lineCap = "round";
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.quadraticCurveTo(x + bend * 0.2, y - tall * 0.6, x + bend, y - tall);
    ctx.stroke();
  }
}
