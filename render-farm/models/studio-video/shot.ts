/// <reference lib="dom" />
import { paintAbstract } from "../studio-image/abstract.ts";
import { paintBloom, paintVignette } from "../studio-image/finish.ts";
import { readPrompt } from "../studio-image/prompt.ts";
import {
  composeScene,
  getCalm,
  isWet,
  nowhere,
  paintBackdrop,
  paintCoast,
  paintLand,
  type Scene,
} from "../studio-image/scene.ts";
import { isStarry, paintStillSky } from "../studio-image/sky.ts";
import { paintNebula, paintPlanets, paintStarfield } from "../studio-image/space.ts";
import { newCanvas, type Stage } from "../studio-image/stage.ts";
import { applyStyle } from "../studio-image/styles.ts";
import { isRestless, paintSubjects, type World } from "../studio-image/subjects.ts";
import { paintDepth, paintDrifters, paintReef, paintSchool } from "../studio-image/underwater.ts";
import type { Style } from "../studio-image/vocabulary.ts";
import { type CameraMotion, type Lens, overscan, project, viewAt } from "./camera.ts";
import { type Layer, matteLayer, stillLayer } from "./layers.ts";
import { airLayers } from "./moving-air.ts";
import { auroraLayer, cloudLayer, twinkleLayer } from "./moving-sky.ts";
import { MovingWater } from "./moving-water.ts";

/**
 * The scene of `studio-image` as planes in depth, some painted once and some in every frame, seen
 * by a moving camera. A frame is a pure function of its number, so frames may be made in any order
 * and by several pages.
 */
export interface ShotRequest {
  readonly prompt: string;
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frames: number;
  readonly camera: CameraMotion;
}

export interface Shot {
  /** Returns the shot's own canvas, which is valid until the next frame. */
  frame(index: number): OffscreenCanvasRenderingContext2D;
}

/** Planes in front of the water, the water, and planes behind it. */
interface Planes {
  readonly far: readonly Layer[];
  readonly water: MovingWater | undefined;
  readonly near: readonly Layer[];
}

const waterDepth = 0.3;

/** Scale for styles that redraw every pixel: soft enough to be drawn smaller and enlarged. */
const painterly: Partial<Record<Style, number>> = { ink: 0.6, watercolour: 0.55 };

export function openShot(request: ShotRequest): Shot {
  const share = painterly[readPrompt(request.prompt).style];
  if (share === undefined) return paintShot(request);
  const { width, height } = request;
  const small = paintShot({
    ...request,
    width: even(width * share),
    height: even(height * share),
  });
  const ctx = newCanvas(width, height);
  return {
    frame(index) {
      ctx.imageSmoothingQuality = "medium";
      ctx.drawImage(small.frame(index).canvas, 0, 0, width, height);
      return ctx;
    },
  };
}

function paintShot(request: ShotRequest): Shot {
  const { width, height, fps, frames, camera } = request;
  const scene = composeScene({
    ...request,
    width: even(width * overscan),
    height: even(height * overscan),
  });
  const { stage } = scene;
  const planes = drawPlanes(scene, frames / fps);
  const ctx = newCanvas(width, height);
  const lens: Lens = {
    width,
    height,
    paintedWidth: stage.width,
    paintedHeight: stage.height,
    horizon: stage.horizon,
  };
  const vignette = drawVignette(stage, width, height);
  return {
    frame(index) {
      const atSeconds = index / fps;
      const view = viewAt(camera, frames > 1 ? index / (frames - 1) : 0, atSeconds);
      const through = (layer: Layer): void => {
        const { scale, left, top } = project(lens, view, layer.depth);
        ctx.save();
        ctx.setTransform(scale, 0, 0, scale, left, top);
        layer.paint({ ...stage, ctx, atSeconds });
        ctx.restore();
      };
      ctx.imageSmoothingQuality = "low";
      for (const layer of planes.far) through(layer);
      if (planes.water !== undefined) {
        const { scale, left, top } = project(lens, view, waterDepth);
        const sky = project(lens, view, 0);
        const sun = { ...stage.sun, x: stage.sun.x * sky.scale + sky.left };
        const horizon = stage.horizon * scale + top;
        const aside = (lens.width - stage.width * scale) / 2 - left;
        const own = { ...stage, ctx, width, height, horizon, sun, atSeconds };
        planes.water.paint(own, aside);
      }
      for (const layer of planes.near) through(layer);
      finishFrame({ ...stage, ctx, width, height, atSeconds }, vignette);
      return ctx;
    },
  };
}

function finishFrame(stage: Stage, vignette: OffscreenCanvas): void {
  applyStyle(stage);
  paintBloom(stage, stage.brief.style === "neon" ? 0.6 : 0.24);
  stage.ctx.globalCompositeOperation = "multiply";
  stage.ctx.drawImage(vignette, 0, 0);
  stage.ctx.globalCompositeOperation = "source-over";
}

function drawVignette(stage: Stage, width: number, height: number): OffscreenCanvas {
  const ctx = newCanvas(width, height);
  ctx.fillStyle = "#ffffff";
  ctx.fillRect(0, 0, width, height);
  paintVignette({ ...stage, ctx, width, height });
  return ctx.canvas;
}

function drawPlanes(scene: Scene, seconds: number): Planes {
  const { stage, place } = scene;
  switch (place.ground) {
    case "abstract":
      return dry([stillLayer(stage, 0.5, paintAbstract), ...subjects(stage, nowhere, 0.8)]);
    case "space":
      return dry([
        stillLayer(stage, 0, paintNebula),
        stillLayer(stage, 0.12, paintStarfield),
        twinkleLayer(stage, 1),
        stillLayer(stage, 0.6, paintPlanets),
        ...subjects(stage, nowhere, 0.85),
      ]);
    case "underwater":
      return dry([
        { depth: 0, paint: paintDepth },
        stillLayer(stage, 0.2, (own) => paintReef(own, 0)),
        stillLayer(stage, 0.35, (own) => paintReef(own, 1)),
        { depth: 0.45, paint: paintSchool },
        stillLayer(stage, 0.6, (own) => paintReef(own, 2)),
        stillLayer(stage, 0.85, (own) => paintReef(own, 3)),
        { depth: 0.7, paint: paintDrifters },
        ...subjects(stage, nowhere, 0.7),
      ]);
    default:
      return outdoors(scene, seconds);
  }
}

function dry(far: readonly Layer[]): Planes {
  return { far, water: undefined, near: [] };
}

function outdoors({ stage, place }: Scene, seconds: number): Planes {
  const sky = skyLayers(stage, seconds);
  const air = airLayers(stage, place);
  if (isWet(place)) {
    const backdrop = matteLayer(stage, waterDepth, (own) => paintBackdrop(own, place)).layer;
    const { layer: coast, world } = matteLayer(stage, waterDepth, paintCoast);
    const water = new MovingWater(stage, getCalm(place));
    return {
      far: [...sky, backdrop],
      water,
      near: [coast, ...subjects(stage, world, waterDepth), ...air],
    };
  }
  const { layer, world } = matteLayer(stage, 0.5, (own) => {
    paintBackdrop(own, place);
    return paintLand(own, place);
  });
  return dry([...sky, layer, ...subjects(stage, world, 0.5), ...air]);
}

function skyLayers(stage: Stage, seconds: number): readonly Layer[] {
  const { weathers } = stage.brief;
  const layers: Layer[] = [stillLayer(stage, 0, paintStillSky)];
  if (isStarry(stage)) layers.push(twinkleLayer(stage, 0.45));
  if (weathers.has("aurora")) layers.push(auroraLayer(stage));
  const clouds = cloudLayer(stage, seconds);
  if (clouds !== undefined) layers.push(clouds);
  return layers;
}

/** Motionless subjects share one painting; flying, floating or turning ones are painted anew. */
function subjects(stage: Stage, world: World, depth: number): readonly Layer[] {
  const { brief } = stage;
  const layers: Layer[] = [];
  if (brief.subjects.some((subject) => !isRestless(subject)))
    layers.push(
      stillLayer(stage, depth, (own) =>
        paintSubjects(own, world, (subject) => !isRestless(subject)),
      ),
    );
  if (brief.subjects.some(isRestless))
    layers.push({ depth, paint: (own) => paintSubjects(own, world, isRestless) });
  return layers;
}

function even(value: number): number {
  return 2 * Math.round(value / 2);
}
