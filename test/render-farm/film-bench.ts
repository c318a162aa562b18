import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { limits } from "../../config/limits.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { PageScripts } from "../../film/page-scripts.ts";
import { ownChromium } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { type Isolation, isolate } from "../../render-farm/browser/isolation.ts";
import type { TaskWorker } from "../../render-farm/node/task-loop.ts";
import { Pictures, pictureBounds } from "../../render-farm/pictures/pictures.ts";
import { KnownMedia } from "../../render-farm/render/inputs/known-media.ts";
import type { Patience } from "../../render-farm/render/page/film-page-session.ts";
import { SpareBrowsers } from "../../render-farm/render/page/spare-browsers.ts";
import { render } from "../../render-farm/render/render.ts";
import type { Studio } from "../../render-farm/render/staging.ts";
import { CodedPictures, packetBounds } from "../../render-farm/render/videos/coded-pictures.ts";
import { searchPath, type Teardown } from "./fenced.ts";
import { type MediaBench, openMediaBench } from "./media-bench.ts";
import { readPng } from "./png.ts";
import { createSimulatedTimers } from "./simulated-timers.ts";

const minutesMs = 600_000;
/** Timeouts long enough for anything that ends, however busy the machine is. */
export const patient: Patience = { pageMs: minutesMs, timelineMs: 500, frameMs: minutesMs };
/** Timeouts for pages that never end. */
export const impatient: Patience = { pageMs: 1_000, timelineMs: 500, frameMs: 1_000 };

/** The font check of a machine whose fonts never change. */
export const sameFonts = async (): Promise<number> => 0;

type Succeeded = Extract<TaskOutcome, { kind: "succeeded" }>;

/** Renders bundles with real browsers and tools, and inspects the films. */
export interface FilmBench extends MediaBench {
  readonly studio: Studio;
  readonly worker: TaskWorker;
  readonly isolation: Isolation;
  /** Notes that the farm wrote to its operator. */
  readonly notes: readonly string[];
  /** Renders a film from text files, or object keys of stored ones, by path. */
  film(files: Files, more?: object): Promise<Film>;
  /** Renders a film that must fail, and returns the failure's message. */
  fail(files: Files, more?: object): Promise<string>;
  readInput(files: Files, more?: object): Promise<object>;
  /** Reads pixels of one frame, rendered as a lossless still. */
  colorsAt(files: Files, frame: number, ...places: readonly Place[]): Promise<Colors>;
}

export type Files = Readonly<Record<string, string | { objectKey: string; mimeType: string }>>;

export interface Film {
  readonly outcome: Succeeded;
  readonly key: string;
  readonly warnings: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
  /** Reads the RGB of pixels at one frame. */
  pixels(frame: number, ...places: readonly Place[]): Promise<readonly Rgb[]>;
  frames(): Promise<number>;
}

type Colors = readonly (Rgb | undefined)[];
export type Place = readonly [x: number, y: number];
export type Rgb = readonly [red: number, green: number, blue: number];

interface TestFolder extends Teardown {
  testdir(): string;
}

export async function openFilmBench(
  t: TestFolder,
  pages?: number,
  patience = patient,
  given?: Isolation,
): Promise<FilmBench> {
  const bench = await openMediaBench(t);
  const { fence, programs } = bench.fenced;
  const executablePath = (await findChromium(undefined, searchPath)) ?? ownChromium();
  const isolation = given ?? (await isolate("off", executablePath, fence));
  const scripts = new PageScripts(join(import.meta.dirname, "..", ".."));
  const browsers = new SpareBrowsers(isolation, () => 0, createSimulatedTimers(), sameFonts);
  t.teardown(() => browsers.close());
  const own = await fence.folders.lend();
  t.teardown(() => own.remove());
  const coded = new CodedPictures(programs.packets(own.user, packetBounds));
  t.teardown(() => coded.close());
  const screenshots = new Pictures(programs.pictures(own.user, pictureBounds));
  t.teardown(() => screenshots.close());
  const notes: string[] = [];
  const tools = {
    workspaces: bench.workspaces,
    screenshots,
    known: new KnownMedia(),
    browsers,
    coded,
    scripts,
    patience,
    note: (line: string) => void notes.push(line),
    pages: pages ?? Math.min(2, availableParallelism()),
  };
  const studio = { tools, objects: bench.objects, timeoutMs: limits.farm.renderTaskMs };
  const worker = render(studio);
  let bundles = 0;
  const readInput = async (files: Files, more: object = {}): Promise<object> => {
    const prefix = `bundle-${bundles++}`;
    const listed = await Promise.all(
      Object.entries(files).map(async ([path, file], index) => {
        if (typeof file !== "string") return { path, ...file };
        const objectKey = `${prefix}/${index}`;
        await bench.objects.put(objectKey, [Buffer.from(file)]);
        return { path, objectKey, mimeType: getType(path) };
      }),
    );
    const manifestKey = `${prefix}/manifest`;
    await bench.objects.put(manifestKey, [Buffer.from(JSON.stringify({ files: listed }))]);
    return { manifestKey, target: "video", assets: {}, ...more };
  };
  const film = async (files: Files, more?: object): Promise<Film> => {
    const outcome = await bench.run(worker, await readInput(files, more));
    if (outcome.kind === "failed") throw new Error(outcome.message);
    return readFilm(outcome, bench);
  };
  return {
    ...bench,
    studio,
    worker,
    isolation,
    notes,
    readInput,
    film,
    async colorsAt(files, frame, ...places) {
      const { key } = await film(files, { target: "still", still: { frame } });
      const png = readPng(await bench.readBytes(key));
      return places.map(([x, y]) => png.at((x + 0.5) / png.width, (y + 0.5) / png.height));
    },
    async fail(files, more) {
      const outcome = await bench.run(worker, await readInput(files, more));
      if (outcome.kind === "succeeded") throw new Error("it succeeded");
      return outcome.message;
    },
  };
}

function readFilm(outcome: Succeeded, bench: MediaBench): Film {
  const key = outcome.outputs[0]?.objectKey ?? "";
  const { width = 0, height = 0 } = outcome.outputs[0] ?? {};
  let decoded: Promise<Buffer> | undefined;
  return {
    outcome,
    key,
    warnings: outcome.warnings ?? [],
    details: { ...outcome.details },
    async pixels(frame, ...places) {
      decoded ??= bench.look(key, ["-f", "rawvideo", "-pix_fmt", "rgb24"]);
      const bytes = await decoded;
      return places.map(([x, y]) => {
        const at = 3 * ((frame * height + y) * width + x);
        return [bytes[at] ?? -1, bytes[at + 1] ?? -1, bytes[at + 2] ?? -1] as const;
      });
    },
    async frames() {
      const found = /nb_frames=(\d+)/.exec(await bench.codecs(key));
      return Number(found?.[1]);
    },
  };
}

function getType(path: string): string {
  if (path.endsWith(".html")) return "text/html";
  if (path.endsWith(".js")) return "text/javascript";
  if (path.endsWith(".css")) return "text/css";
  return "application/octet-stream";
}

/** Builds a composition of one file; `root` is the markup inside its root. */
export function composition(root: string, attributes = 'data-duration="1"', size = [320, 180]) {
  const [width, height] = size;
  return {
    "index.html": `<!doctype html><html><head><style>
      #root{position:relative;width:${width}px;height:${height}px}
      #root{overflow:hidden;background:#204060}
      .clip{position:absolute}</style></head><body>
      <div id="root" data-composition-id="main" data-start="0" data-width="${width}"
        data-height="${height}" ${attributes}>${root}</div></body></html>`,
  };
}

/** Markup of a white box of 20 by 20 pixels, 80 below the top. */
export function box(id: string, more = ""): string {
  return `<div id="${id}" style="position:absolute;left:0;top:80px;width:20px;height:20px;
    background:#fff;${more}"></div>`;
}

export function sees(t: Test, found: Colors, wanted: readonly Rgb[]): void {
  for (const [index, color] of wanted.entries())
    t.ok(isNear(found[index], color, 8), `${index}: ${found[index]} is ${color}`);
}

/** Whether two colours look the same after encoding. */
export function isNear(one: Rgb | undefined, other: Rgb, most = 12): boolean {
  return one?.every((part, index) => Math.abs(part - (other[index] ?? 0)) <= most) === true;
}
