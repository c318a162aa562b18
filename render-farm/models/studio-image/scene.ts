/// <reference lib="dom" />

import { paintAbstract } from "./abstract.ts";
import { paintCity } from "./city.ts";
import { paintCloudSea } from "./cloud-sea.ts";
import { lch } from "./color.ts";
import { finish } from "./finish.ts";
import { paintConifer, paintGrass, paintTree } from "./flora.ts";
import { paintForest } from "./forest.ts";
import { dunes, headland, hills, mountains } from "./lands.ts";
import { choosePlace, type Place, setStage } from "./layout.ts";
import { mix } from "./noise.ts";
import type { PictureRequest } from "./picture-request.ts";
import { computeFooting, type Footing, waterFooting } from "./placing.ts";
import { type Brief, readPrompt } from "./prompt.ts";
import { createSeededRandom, hashText } from "./seeded-random.ts";
import { paintSky } from "./sky.ts";
import { paintSpace } from "./space.ts";
import type { Stage } from "./stage.ts";
import { applyStyle } from "./styles.ts";
import { paintSubjects, type World } from "./subjects.ts";
import { getFocal, paintTerrain } from "./terrain.ts";
import { paintUnderwater } from "./underwater.ts";
import { paintWater } from "./water.ts";
import { paintWeather } from "./weather.ts";

/**
 * Paints one picture, back to front: sky, horizon, land or water, subjects, weather, style, finish.
 * Whatever the prompt leaves open is drawn at random, seeded with the hash of its words and the
 * seed.
 */
export function paintScene(request: PictureRequest): OffscreenCanvas {
  const { stage, place } = composeScene(request);
  const world = paintWorld(stage, place);
  paintSubjects(stage, world);
  paintWeather(stage);
  applyStyle(stage);
  finish(stage);
  return stage.ctx.canvas;
}

export interface Scene {
  readonly stage: Stage;
  readonly place: Place;
}

/** Makes all decisions about the picture before anything is painted. */
export function composeScene(request: Omit<PictureRequest, "format">): Scene {
  const asked = readPrompt(request.prompt, request.negative, request.example);
  const random = createSeededRandom(hashText(`${asked.hash}:${request.seed}`));
  const place = choosePlace(asked, random);
  const brief = colourScene(asked, place);
  return { stage: setStage(brief, place, random, request.width, request.height), place };
}

/** Colours the ground like the example too, unless the prompt names a colour for it. */
function colourScene(brief: Brief, { ground }: Place): Brief {
  const { example, colorsByNoun, tints } = brief;
  if (example === undefined) return brief;
  const isFree = ground === "abstract" || ground === "space";
  return {
    ...brief,
    tints: isFree && tints.length === 0 ? [example.accent, example.sky[1], example.ground] : tints,
    colorsByNoun: new Map([[ground, example.ground], ...colorsByNoun]),
  };
}

export const nowhere: World = { land: undefined, water: undefined, perch: undefined };

function paintWorld(stage: Stage, place: Place): World {
  switch (place.ground) {
    case "abstract":
      paintAbstract(stage);
      return nowhere;
    case "space":
      paintSpace(stage);
      return nowhere;
    case "underwater":
      paintUnderwater(stage);
      return nowhere;
    default:
      paintSky(stage);
      paintBackdrop(stage, place);
      return paintGround(stage, place);
  }
}

export function paintBackdrop(stage: Stage, { ground, backdrop }: Place): void {
  const shore = isWet({ ground, backdrop });
  if (ground === "lake" || ground === "mountains" || ground === "snow" || backdrop.has("mountains"))
    paintTerrain(stage, mountains(stage, shore ? 26 : 34, shore ? -0.02 : 0));
  if (backdrop.has("city")) paintCity(stage);
}

export function isWet({ ground }: Place): boolean {
  return ground === "sea" || ground === "lake" || ground === "city";
}

/** How calm the water is: 1 is a mirror, 0 the open sea. */
export function getCalm({ ground, backdrop }: Place): number {
  return ground === "sea" && !backdrop.has("lake") ? 0.12 : 0.85;
}

function paintGround(stage: Stage, place: Place): World {
  if (!isWet(place)) return paintLand(stage, place);
  paintWater(stage, getCalm(place));
  return paintCoast(stage);
}

export function paintLand(stage: Stage, { ground, backdrop }: Place): World {
  switch (ground) {
    case "dunes":
      return onLand(computeFooting(stage, paintTerrain(stage, dunes(stage))));
    case "forest":
      return onLand(paintForest(stage));
    case "clouds":
      return onLand(paintCloudSea(stage));
    default:
      return paintHills(stage, backdrop.has("forest"));
  }
}

function onLand(land: Footing): World {
  return { land, water: undefined, perch: undefined };
}

/** Paints water, with a headland if a subject needs land to stand on. */
export function paintCoast(stage: Stage): World {
  const { brief, width, height, horizon, sun } = stage;
  const water = waterFooting(stage);
  const afloat = [
    "boat",
    "ship",
    "whale",
    "bird",
    "kite",
    "moon",
    "sun",
    "balloon",
    "plane",
    "rainbow",
  ];
  const stands = brief.subjects.some(({ kind }) => !afloat.includes(kind));
  if (!stands) return { land: undefined, water, perch: undefined };
  const x = width * (0.5 - sun.side * 0.25);
  const [distance, tall] = [15, 1.25];
  const land = computeFooting(stage, paintTerrain(stage, headland(stage, x, distance, tall)));
  const top = horizon + (getFocal(stage) * (2.6 - tall)) / distance;
  return { land, water, perch: [x, Math.min(height * 0.9, top)] };
}

/** Paints rolling land with scattered trees and, where grass grows, blades in the foreground. */
function paintHills(stage: Stage, isWooded: boolean): World {
  const { random, brief, width, height, horizon, unit } = stage;
  const land = computeFooting(stage, paintTerrain(stage, hills(stage)));
  const dice = random.fork("scattered");
  const isSnow = brief.settings.includes("snow");
  const isBare = brief.style === "minimal" || brief.unwanted.has("tree");
  const count = brief.unwanted.has("tree") ? 0 : isBare ? 3 : isWooded ? 160 : 46;
  const feet = Array.from({ length: count }, () => {
    const grove = dice.pick([0.12, 0.2, 0.78, 0.9, 0.62]);
    const x = width * (grove + (dice.next() + dice.next() - 1) * 0.22);
    return land(x, mix(horizon, height, 0.02 + 0.24 * dice.next() ** 1.6));
  });
  const standing = feet.filter((foot) => foot !== undefined);
  for (const foot of standing.sort((a, b) => b.distance - a.distance)) {
    const size = Math.min(unit * 0.3, (getFocal(stage) * dice.between(2.6, 4.2)) / foot.distance);
    const spot = { ...foot, y: foot.y + size * 0.03, size };
    if (isSnow || dice.chance(0.3)) paintConifer(stage, spot, lch(0.4, 0.07, 155), dice);
    else paintTree(stage, spot, "oak", undefined, dice);
  }
  if (!isSnow && !isBare) paintGrass(stage, mix(horizon, height, 0.66), 1500, random.fork("grass"));
  return onLand(land);
}
