import { isAnimal, paintAnimal } from "./animals.ts";
import type { Point, Spot } from "./brush.ts";
import { paintCastle, paintHouse, paintLighthouse, paintTent, paintWindmill } from "./buildings.ts";
import { type Color, lch } from "./color.ts";
import { paintCactus, paintFlower, paintPalm, paintTree } from "./flora.ts";
import { paintBalloon, paintBird, paintButterfly, paintKite, paintPlane } from "./flyers.ts";
import { mix } from "./noise.ts";
import { type Footing, spread } from "./placing.ts";
import type { Subject } from "./prompt.ts";
import type { Random } from "./seeded-random.ts";
import type { Stage } from "./stage.ts";
import { paintBoat, paintRocket, paintShip, paintWhale } from "./vessels.ts";
import type { SubjectKind } from "./vocabulary.ts";

/**
 * Puts the prompt's subjects into the painted world. The first subject on the ground stands at the
 * third of the picture away from the sun, later ones on the other side; subjects in the air come
 * last.
 */
export interface World {
  readonly land: Footing | undefined;
  readonly water: Footing | undefined;
  /** The place for a coastal building, if the world has one. */
  readonly perch: Point | undefined;
}

/**
 * Height as a share of the picture's short side, and how far down the land or water the foot is.
 */
const standing: Partial<Record<SubjectKind, readonly [size: number, down: number]>> = {
  bear: [0.25, 0.5],
  boat: [0.3, 0.3],
  cactus: [0.3, 0.4],
  camel: [0.23, 0.42],
  castle: [0.36, 0.2],
  cat: [0.3, 0.62],
  deer: [0.32, 0.52],
  dog: [0.24, 0.55],
  elephant: [0.3, 0.45],
  fox: [0.2, 0.6],
  horse: [0.3, 0.48],
  house: [0.19, 0.28],
  lighthouse: [0.46, 0.1],
  palm: [0.46, 0.4],
  person: [0.2, 0.42],
  rabbit: [0.19, 0.62],
  ship: [0.27, 0.16],
  tent: [0.17, 0.45],
  tree: [0.42, 0.34],
  whale: [0.4, 0.38],
  windmill: [0.36, 0.26],
  wolf: [0.28, 0.5],
};

const black = lch(0.22, 0.012, 270);

const afloat: ReadonlySet<SubjectKind> = new Set(["boat", "ship", "whale"]);

/** Kinds of subjects that always move: a film paints them anew in every frame. */
const restless: ReadonlySet<SubjectKind> = new Set([
  "balloon",
  "bird",
  "boat",
  "butterfly",
  "kite",
  "plane",
  "rocket",
  "ship",
  "whale",
  "windmill",
]);

export function isRestless({ kind }: Subject): boolean {
  return restless.has(kind);
}

export function paintSubjects(
  stage: Stage,
  world: World,
  isWanted: (subject: Subject) => boolean = () => true,
): void {
  const { brief, width, sun } = stage;
  let side = -sun.side;
  for (const subject of brief.subjects) {
    const measures = standing[subject.kind];
    if (measures === undefined) continue;
    if (isWanted(subject))
      paintStanding(stage, world, subject, measures, width * (0.5 + side * 0.19));
    side = -side;
  }
  for (const subject of brief.subjects) if (isWanted(subject)) paintInAir(stage, world, subject);
}

function paintStanding(
  stage: Stage,
  world: World,
  subject: Subject,
  [share, down]: readonly [number, number],
  x: number,
): void {
  const { random, height, horizon, unit } = stage;
  const footing = afloat.has(subject.kind)
    ? (world.water ?? world.land)
    : (world.land ?? world.water);
  if (footing === undefined) return;
  const dice = random.fork(subject.kind);
  const fewer = subject.count > 1 ? 0.78 : 1;
  const size = unit * share * fewer * dice.between(0.92, 1.08);
  const perch = afloat.has(subject.kind) ? undefined : world.perch;
  const at: Point = perch ?? [x, mix(horizon, height, down + dice.between(-0.04, 0.06))];
  const spots = spread(stage, footing, subject.count, at[0], at[1], size, dice);
  for (const spot of spots)
    if (afloat.has(subject.kind)) rock(stage, spot, () => paintOne(stage, subject, spot, dice));
    else paintOne(stage, subject, spot, dice);
}

/** Lets a floating subject rise, fall and roll with time; in a still it lies level. */
function rock({ ctx, atSeconds, sun }: Stage, spot: Spot, paint: () => void): void {
  const phase = spot.x * 0.013;
  const roll = 0.022 * Math.sin(atSeconds * 1.5 + phase) - 0.022 * Math.sin(phase);
  const rise = 0.012 * (Math.sin(atSeconds * 1.9 + phase) - Math.sin(phase)) * spot.size;
  ctx.save();
  ctx.translate(spot.x - sun.side * atSeconds * spot.size * 0.018, spot.y + rise);
  ctx.rotate(roll);
  ctx.translate(-spot.x, -spot.y);
  paint();
  ctx.restore();
}

type Painter = (stage: Stage, spot: Spot, subject: Subject, dice: Random) => void;

const standingPainters: Partial<Record<SubjectKind, Painter>> = {
  boat: (stage, spot, { color }) =>
    paintBoat(stage, spot, color ?? (stage.brief.style === "ink" ? black : lch(0.96, 0.025, 85))),
  cactus: (stage, spot, { color }) => paintCactus(stage, spot, color),
  castle: (stage, spot, { color }) => paintCastle(stage, spot, color),
  house: (stage, spot, { color }, dice) =>
    paintHouse(stage, spot, color ?? lch(0.92, 0.03, 80), dice),
  lighthouse: (stage, spot, { color }) => paintLighthouse(stage, spot, color),
  palm: (stage, spot, { color }, dice) => paintPalm(stage, spot, color, dice),
  ship: (stage, spot, { color, word }) =>
    paintShip(stage, spot, color ?? (word === "pirate" ? black : stage.palette.accent), word),
  tent: (stage, spot, { color }) => paintTent(stage, spot, color),
  tree: (stage, spot, { color, word }, dice) => paintTree(stage, spot, word, color, dice),
  whale: (stage, spot, { color }, dice) => paintWhale(stage, spot, color, dice),
  windmill: (stage, spot, { color }, dice) => paintWindmill(stage, spot, color, dice),
};

function paintOne(stage: Stage, subject: Subject, spot: Spot, dice: Random): void {
  const { kind, color } = subject;
  if (isAnimal(kind)) paintAnimal(stage, kind, spot, color, stage.sun.side);
  else standingPainters[kind]?.(stage, spot, subject, dice);
}

/** Painters of subjects that simply hang in the air, with the height of the largest. */
const airPainters: Partial<Record<SubjectKind, readonly [size: number, paint: Painter]>> = {
  balloon: [
    0.3,
    (stage, spot, { color }, dice) =>
      paintBalloon(stage, spot, color ?? varyColor(stage, spot, dice), dice),
  ],
  butterfly: [
    0.16,
    (stage, spot, { color }, dice) =>
      paintButterfly(stage, spot, color ?? varyColor(stage, spot, dice), dice),
  ],
  plane: [0.26, (stage, spot, { color }) => paintPlane(stage, spot, color ?? lch(0.96, 0.01, 90))],
  rocket: [0.3, (stage, spot, { color }, dice) => paintRocket(stage, spot, color, dice)],
};

function paintInAir(stage: Stage, world: World, subject: Subject): void {
  const dice = stage.random.fork(`air ${subject.kind}`);
  const simple = airPainters[subject.kind];
  if (simple !== undefined) {
    const [size, paint] = simple;
    inAir(stage, subject.count, size, dice, (spot) =>
      paint(stage, travel(stage, subject, spot), subject, dice),
    );
  } else if (subject.kind === "kite") paintKites(stage, world, subject, dice);
  else if (subject.kind === "bird") paintFlock(stage, subject, dice);
  else if (subject.kind === "flower") paintBed(stage, world, subject, dice);
}

/** Speed in heights of the subject per second: across, away from the sun, and down. */
const speeds: Partial<Record<SubjectKind, readonly [across: number, down: number]>> = {
  balloon: [0.02, -0.016],
  butterfly: [0.22, -0.05],
  plane: [0.3, -0.05],
  rocket: [0.02, -0.09],
};

function travel({ atSeconds, sun }: Stage, { kind }: Subject, spot: Spot): Spot {
  const [across, down] = speeds[kind] ?? [0, 0];
  const flutter = kind === "butterfly" ? 0.1 * Math.sin(atSeconds * 5 + spot.size) : 0;
  const sway = 0.01 * Math.sin(atSeconds * 0.9 + spot.x);
  const x = spot.x + (sway - sun.side * across * atSeconds) * spot.size;
  const y = spot.y + (down * atSeconds + (atSeconds === 0 ? 0 : flutter)) * spot.size;
  return atSeconds === 0 ? spot : { ...spot, x, y };
}

/** The nearest takes the palette's accent, the others any bright colour. */
function varyColor({ palette }: Stage, { haze }: Spot, dice: Random): Color {
  if (haze === 0) return palette.accent;
  return lch(dice.between(0.58, 0.78), 0.17, dice.pick([25, 55, 85, 160, 220, 260, 340]));
}

/** Places subjects in the air: the first is large, on the side away from the sun, others far. */
function inAir(
  { width, horizon, unit, sun }: Stage,
  count: number,
  share: number,
  dice: Random,
  paint: (spot: Spot) => void,
): void {
  const middle = 0.5 - sun.side * 0.15;
  const first = unit * share * (count > 1 ? 0.88 : 1);
  const spots: Spot[] = [{ x: width * middle, y: horizon * 0.42, size: first, haze: 0 }];
  for (let i = 1; i < count; i++) {
    const scale = dice.between(0.2, 0.55);
    const lane = ((i + 0.3 + dice.between(-0.25, 0.25)) / count + middle + 1) % 1;
    const y = horizon * dice.between(0.2, 0.82);
    spots.push({ x: width * lane, y, size: first * scale, haze: (1 - scale) * 0.6 });
  }
  for (const spot of spots.sort((a, b) => a.size - b.size)) paint(spot);
}

/** Paints kites, each held by a person if there is land. */
function paintKites(stage: Stage, world: World, subject: Subject, dice: Random): void {
  const { width, height, horizon, unit, sun } = stage;
  inAir(stage, subject.count, 0.3, dice, (spot) => {
    const x = spot.x + sun.side * unit * dice.between(0.16, 0.26);
    const foot = world.land?.(x, horizon + (height - horizon) * 0.3);
    const tall = unit * (spot.haze === 0 ? 0.075 : 0.045);
    if (foot !== undefined)
      paintAnimal(stage, "person", { ...foot, size: tall }, undefined, sun.side > 0 ? -1 : 1);
    const hand: Point = foot
      ? [foot.x - sun.side * tall * 0.26, foot.y - tall * 0.83]
      : [width * (0.5 + sun.side * 0.2), height * 1.05];
    const color = subject.color ?? varyColor(stage, spot, dice);
    const gust = stage.atSeconds === 0 ? 0 : Math.sin(stage.atSeconds * 0.9 + spot.x);
    const aloft = { x: spot.x + gust * spot.size * 0.16, y: spot.y * (0.92 - gust * 0.05) };
    paintKite(stage, { ...spot, ...aloft }, color, dice, hand);
  });
}

function paintFlock(stage: Stage, { color, word, count }: Subject, dice: Random): void {
  const { width, horizon, unit, palette, sun, atSeconds } = stage;
  const isWhite = /gull|swan|crane|dove|heron|geese|goose/.test(word);
  const plumage =
    color ??
    (isWhite ? lch(0.97, 0.008, 90) : palette.isDark ? lch(0.75, 0.03, 250) : lch(0.25, 0.03, 270));
  const [middleX, middleY] = [width * (0.5 - sun.side * 0.12), horizon * dice.between(0.36, 0.5)];
  for (let i = 0; i < count; i++) {
    const away = Math.ceil(i / 2) * (i % 2 === 0 ? 1 : -1);
    const size = unit * (count === 1 ? 0.13 : 0.05) * dice.between(0.6, 1.15);
    const flown = sun.side * atSeconds * unit * 0.05;
    const x = middleX + away * unit * 0.055 + dice.between(-0.02, 0.02) * unit + flown;
    const y =
      middleY +
      Math.abs(away) * unit * 0.024 * (away > 0 ? 1 : 0.7) +
      dice.between(-0.02, 0.02) * unit;
    paintBird(stage, { x, y, size, haze: 0.12 }, plumage, dice);
  }
}

/** Paints flowers along the lower edge, larger towards the viewer. */
function paintBed(stage: Stage, world: World, { word, color }: Subject, dice: Random): void {
  const { width, height, unit, horizon } = stage;
  const count = Math.round((150 * width) / unit);
  const top = world.land === undefined ? height * 0.8 : mix(horizon, height, 0.22);
  for (let i = 0; i < count; i++) {
    const near = i / count;
    const y = mix(top, height * 1.05, near ** 1.5);
    const size = unit * mix(0.02, 0.24, near ** 2.6) * dice.between(0.75, 1.2);
    const spot = { x: dice.between(-0.02, 1.02) * width, y, size, haze: 0.3 * (1 - near) ** 2 };
    paintFlower(stage, spot, word, color, dice);
  }
}
