import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { check } from "../../config/schema.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import type { MeasuredPage } from "../../film/page/measured/places.ts";
import type { StagedText } from "../../film/page/measured/text-pictures.ts";
import type { FilmPlan, PlannedClip } from "../../film/page/plan.ts";
import {
  isMeasurement,
  type MeasuredText,
  MeasureInput,
  type Measurement,
  type Place,
} from "../../timeline/export/measurement.ts";
import { type Clip, frameCount, frameFrom, type Timeline } from "../../timeline/model.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";
import { refuseInput, type TaskWorker } from "../node/task-loop.ts";
import { MediaSizes } from "./inputs/media-sizes.ts";
import { FilmBrowser } from "./page/film-browser.ts";
import type { FilmSession } from "./page/film-page-session.ts";
import { RenderError } from "./render-error.ts";
import type { RenderStage } from "./render-stage.ts";
import { onStage, type Studio } from "./staging.ts";

/**
 * Task kind `measure`: lays a composition's page out for an export. The one output is a
 * `Measurement` as JSON: the effective timeline as a render has it, what its media are, where the
 * page has them in the middle of their time, and what the added texts look like.
 */
const isMeasureInput = check<MeasureInput>(MeasureInput);

export function measure(studio: Studio): TaskWorker {
  const own = { ...studio, timeoutMs: limits.exports.measureMs };
  return {
    timeoutMs: own.timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isMeasureInput(input)) return refuseInput("measure", isMeasureInput.faults(input));
      const { manifestKey, assets, drawsTexts } = input;
      return onStage(own, { manifestKey, assets, target: "still" }, context, async (stage) => {
        const measurement = await measureFilm(stage, drawsTexts);
        const objectKey = `${context.outputPrefix}/measurement.json`;
        const bytes = Buffer.from(JSON.stringify(measurement));
        const stored = await stage.objects.put(objectKey, [bytes]);
        const output = { objectKey, mimeType: "application/json", ...stored };
        return { kind: "succeeded", outputs: [output], warnings: [] };
      });
    },
  };
}

async function measureFilm(stage: RenderStage, drawsTexts: boolean): Promise<Measurement> {
  const { bundle, warnings, tools, context } = stage;
  const sizes = new MediaSizes(stage);
  await sizes.look(effectiveTimeline(bundle.view(() => undefined)).clips);
  const timeline = effectiveTimeline(bundle.view((source) => sizes.getSeconds(source)));
  const plan = buildPlan(timeline, sizes, stage);
  const setup = {
    scripts: tools.scripts,
    files: stage.files,
    plan,
    warnings,
    patience: { ...tools.patience, timelineMs: Math.min(tools.patience.timelineMs, timelineMs) },
  };
  const browser = await FilmBrowser.from(tools.browsers, setup, context.signal);
  try {
    const session = await browser.open("compositor-captured");
    const { duration } = session.report;
    const places = await placesIn(session, timeline, duration);
    sizes.takeImages(timeline.clips, places);
    const texts = await textsIn(session, timeline, drawsTexts, stage);
    for (const fault of session.takeFaults()) warnings.add(`a script threw: ${fault}`);
    const measurement = {
      timeline,
      places,
      media: sizes.all(),
      texts,
      warnings: warnings.all(),
      ...omitUndefined({ duration }),
    };
    // The page's scripts may have tampered with its report.
    if (isMeasurement(measurement)) return measurement;
    const [fault] = isMeasurement.faults(measurement);
    throw new RenderError(
      "invalid_composition",
      `the page reported an invalid value: ${fault?.pointer}`,
    );
  } finally {
    await browser.close();
  }
}

/** Wait in milliseconds for a timeline that may never register; shorter than for a render. */
const timelineMs = 3_000;

/** Plans the page as its author wrote it: edits are applied to what the page reports. */
function buildPlan(timeline: Timeline, sizes: MediaSizes, stage: RenderStage): FilmPlan {
  const { fps, width, height, compositions, deleted, texts } = timeline;
  const clips = timeline.clips.map((clip): PlannedClip => {
    const { key, kind, composition, start, end } = clip;
    return {
      // As `video`, the clip would make the page import its pictures.
      key,
      kind: kind === "video" ? "element" : kind,
      composition,
      start,
      isShown: true,
      transform: undefined,
      motion: [],
      mask: undefined,
      from: frameFrom(start, fps),
      to: end === undefined ? Number.MAX_SAFE_INTEGER : frameFrom(end, fps),
      size: sizes.getSize(clip),
      imageUrl: kind === "image" ? assetUrl(clip, stage) : undefined,
    };
  });
  return {
    fps,
    width,
    height,
    compositions,
    clips,
    deleted,
    isTransparent: true,
    isSelfCaptured: false,
    isUnfilmed: true,
    mark: "",
    texts: texts.map((text) => ({ ...text, isShown: true, motion: [] })),
    timelineMs,
  };
}

/** Returns the URL of an asset, which the page cannot find at its `src`. */
function assetUrl({ media, key }: Clip, { bundle, files }: RenderStage): string | undefined {
  if (media?.source?.kind !== "asset") return undefined;
  const source = bundle.findSource(media.source);
  const name = `image-${key.replaceAll("/", "-")}`;
  const bytes = source && (() => bundle.bytes(source));
  return source && bytes && files.offer(name, { contentType: source.mimeType, bytes });
}

/**
 * Finds where each picture is near the middle of its time, in a page that moves. A film has more
 * pictures than there is time to look at.
 */
async function placesIn(
  session: FilmSession,
  { clips, fps, duration }: Timeline,
  said: number | undefined,
): Promise<Measurement["places"]> {
  const length = duration ?? said ?? 0;
  const last = frameCount(length, fps) - 1;
  const shown = clips
    .filter(({ kind }) => kind === "video" || kind === "image")
    .map(({ key, start, end = length }) => {
      const middle = frameFrom((Math.max(0, start) + end) / 2, fps);
      return { key, middle: Math.min(last, Math.max(0, middle)) };
    });
  const keys = shown.map(({ key }) => key);
  const first = (await session.places(keys)) as MeasuredPage;
  if (first.isStill) return first.places;
  const places: Record<string, Place> = { ...first.places };
  const moments = listMoments(shown.map(({ middle }) => middle));
  for (const [at, moment] of moments.entries()) {
    const [before = Number.NEGATIVE_INFINITY, after = Number.POSITIVE_INFINITY] = [
      moments[at - 1],
      moments[at + 1],
    ];
    const isNearest = (middle: number): boolean =>
      middle > (before + moment) / 2 && middle <= (moment + after) / 2;
    const near = shown.filter(({ middle }) => isNearest(middle)).map(({ key }) => key);
    if (near.length === 0) continue;
    await session.seek(moment, {});
    Object.assign(places, ((await session.places(near)) as MeasuredPage).places);
  }
  return places;
}

/** Largest number of frames at which a moving page is inspected. */
const momentsMax = 24;

/** Returns all frames, or an evenly spaced sample, sorted by frame number. */
function listMoments(middles: readonly number[]): readonly number[] {
  const all = [...new Set(middles)].sort((one, other) => one - other);
  if (all.length <= momentsMax) return all;
  const step = (all.length - 1) / (momentsMax - 1);
  return Array.from({ length: momentsMax }, (_, at) => all[Math.round(at * step)] ?? 0);
}

async function textsIn(
  session: FilmSession,
  { texts, width, height }: Timeline,
  drawsTexts: boolean,
  { tools, warnings }: RenderStage,
): Promise<readonly MeasuredText[]> {
  const made: MeasuredText[] = [];
  let room: number = limits.exports.documentBytesMax;
  for (const { id } of texts.slice(0, limits.exports.textsMax + 1)) {
    const staged = (await session.text(id)) as StagedText | null;
    if (staged === null) continue;
    const { width: wide, height: high, ...measures } = staged;
    const text = { id, ...measures };
    const size = { width: Math.min(width, wide), height: Math.min(height, high) };
    // Beyond the bound the export is refused anyway, so no more pictures are painted.
    const { image } =
      drawsTexts && room > 0 ? await session.paint({ format: "png" }) : { image: undefined };
    if (image === undefined) {
      made.push(text);
      continue;
    }
    if (size.width < wide || size.height < high)
      warnings.add(`text#${id.slice(0, 80)} is larger than the frame; its picture is cut`);
    const picture = await tools.pictures.corner(image, size);
    room -= picture.length;
    made.push({ ...text, picture: picture.toString("base64") });
  }
  return made;
}
