import { choosePalette } from "./palette.ts";
import type { Brief, TimeOfDay } from "./prompt.ts";
import type { Random } from "./seeded-random.ts";
import { newCanvas, type Stage, type Sun } from "./stage.ts";
import { homes, type Setting } from "./vocabulary.ts";

/** Decides what the prompt leaves open: place, time, the horizon, the position of the light. */
export interface Place {
  /** The land or water that fills the lower part. */
  readonly ground: Setting;
  /** Settings shown on the horizon behind the ground. */
  readonly backdrop: ReadonlySet<Setting>;
}

/** When a prompt names several, the first of these is the ground and the others its backdrop. */
const groundOrder: readonly Setting[] = [
  "space",
  "underwater",
  "sea",
  "lake",
  "dunes",
  "forest",
  "city",
  "meadow",
  "mountains",
  "snow",
  "clouds",
  "abstract",
];

export function choosePlace(brief: Brief, random: Random): Place {
  const dice = random.fork("place");
  const [first] = brief.subjects;
  const isAfloat = brief.subjects.some(({ kind }) => ["boat", "ship", "whale"].includes(kind));
  const named = new Set(brief.settings);
  const isFit = (setting: Setting): boolean => !brief.unwanted.has(setting);
  // "sky" is nearly always the background of something else.
  if (named.size > 1 || first !== undefined) named.delete("clouds");
  if (isAfloat && !named.has("sea") && !named.has("lake")) named.add("sea");
  if (named.size === 0 && first !== undefined)
    named.add(dice.pick(selectAllowed(homes[first.kind], isFit)));
  if (named.size === 0 && brief.settings.includes("clouds")) named.add("clouds");
  if (named.size === 0 && (brief.time ?? brief.weathers.size) !== 0)
    named.add(
      brief.time === undefined && brief.weathers.size === 0
        ? "abstract"
        : dice.pick(selectAllowed(["sea", "mountains", "lake"], isFit)),
    );
  const ground = groundOrder.find((setting) => named.has(setting)) ?? "abstract";
  return { ground, backdrop: named };
}

/** Leaves out unwanted entries; keeps all if none would be left, since one must be painted. */
function selectAllowed(
  list: readonly [Setting, ...Setting[]],
  isFit: (one: Setting) => boolean,
): readonly [Setting, ...Setting[]] {
  const [first, ...others] = list.filter(isFit);
  return first === undefined ? list : [first, ...others];
}

export function setStage(
  brief: Brief,
  place: Place,
  random: Random,
  width: number,
  height: number,
): Stage {
  const dice = random.fork("light");
  const time = brief.time ?? chooseTime(brief, place, dice);
  const unit = Math.min(width, height);
  const horizon = height * horizonShare(place, dice);
  return {
    ctx: newCanvas(width, height),
    width,
    height,
    unit,
    horizon,
    sun: placeSun(time, width, horizon, unit, dice),
    brief,
    time,
    palette: choosePalette(brief, time, random.fork("palette")),
    random,
    atSeconds: 0,
  };
}

function chooseTime(
  { style, weathers, subjects }: Brief,
  { ground }: Place,
  dice: Random,
): TimeOfDay {
  if (weathers.has("aurora") || subjects.some(({ kind }) => kind === "moon")) return "night";
  if (style === "neon") return dice.pick(["dusk", "night"]);
  if (weathers.has("fog")) return "dawn";
  if (subjects.some(({ kind }) => kind === "rainbow")) return "day";
  if (ground === "meadow") return dice.pick(["day", "day", "golden", "dawn"]);
  if (ground === "city") return dice.pick(["dusk", "golden", "night"]);
  return dice.pick(["golden", "golden", "dawn", "day", "dusk"]);
}

function horizonShare({ ground }: Place, dice: Random): number {
  if (ground === "city") return dice.between(0.64, 0.72);
  if (ground === "meadow") return dice.between(0.5, 0.58);
  if (ground === "forest") return dice.between(0.5, 0.56);
  return dice.between(0.55, 0.63);
}

function placeSun(
  time: TimeOfDay,
  width: number,
  horizon: number,
  unit: number,
  dice: Random,
): Sun {
  const side = dice.chance(0.5) ? 1 : -1;
  const isMoon = time === "night";
  const heights = { dawn: 0.15, day: 0.4, golden: 0.16, dusk: 0.05, night: 0.38, storm: 0.4 };
  const radius = isMoon ? dice.between(0.035, 0.06) : dice.between(0.036, 0.06);
  return {
    x: width * (0.5 + side * dice.between(0.14, 0.31)),
    y: horizon - heights[time] * Math.min(horizon * 1.6, unit * 1.2) * dice.between(0.85, 1.15),
    radius: unit * radius * (time === "day" ? 0.75 : 1),
    isMoon,
    side,
  };
}
