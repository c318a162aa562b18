import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../config/limits.ts";
import type { ChromiumChoice } from "../browser.ts";
import type {
  FilmPlan,
  FilmReport,
  FrameOrder,
  VolumeCurves,
  VolumeOrder,
} from "../film-page/plan.ts";
import { PageFault, type Picture, Stage } from "../stage.ts";
import { entryUrl, filmOrigin, type PageFiles } from "./page-files.ts";
import { RenderFault, type Warnings } from "./render-fault.ts";

/**
 * One page that stands ready at any frame of its film. Driven pages paint only when told; the
 * others paint by themselves, and only into the canvas that holds them.
 */
export interface Patience {
  readonly pageMs: number;
  readonly timelineMs: number;
}

export interface SessionSetup {
  readonly chromium: ChromiumChoice;
  readonly codeFolder: string;
  readonly files: PageFiles;
  readonly plan: FilmPlan;
  readonly warnings: Warnings;
  readonly signal: AbortSignal;
  readonly patience: Patience;
}

const common = [
  "--autoplay-policy=user-gesture-required",
  "--disable-image-animation-resync",
  "--disable-lcd-text",
  "--font-render-hinting=none",
  "--hide-scrollbars",
  "--js-flags=--max-old-space-size=2048",
  "--mute-audio",
  "--proxy-server=http://0.0.0.0:1",
  "--proxy-bypass-list=<-loopback>",
];
const driven = [
  "--disable-checker-imaging",
  "--disable-new-content-rendering-timeout",
  "--disable-threaded-animation",
  "--disable-threaded-scrolling",
  "--enable-begin-frame-control",
  "--run-all-compositor-stages-before-draw",
];
const drawn = ["--enable-features=CanvasDrawElement", "--enable-blink-features=CanvasDrawElement"];
const film = "__kliegFilm";

export class FilmSession {
  readonly report: FilmReport;
  readonly #stage: Stage;
  readonly #traffic: Traffic;
  readonly #isDrawn: boolean;
  #timeMs = 1_000;

  private constructor(stage: Stage, traffic: Traffic, isDrawn: boolean, report: FilmReport) {
    this.#stage = stage;
    this.#traffic = traffic;
    this.#isDrawn = isDrawn;
    this.report = report;
  }

  /** Throws `RenderFault` when the page gets never ready. */
  static async open(setup: SessionSetup): Promise<FilmSession> {
    const { plan, files, signal } = setup;
    const traffic: Traffic = { pending: 0, faults: [] };
    const stage = await Stage.open({
      chromium: setup.chromium,
      size: { width: plan.width, height: plan.height },
      flags: [...common, ...(plan.isDrawn ? drawn : driven)],
      isDriven: !plan.isDrawn,
      start: entryUrl,
      script: await openingScript(setup),
      answer: async (url, kind) => {
        traffic.pending += 1;
        try {
          return await files.answer(url, kind);
        } finally {
          traffic.pending -= 1;
        }
      },
      onFault: (message) => {
        if (traffic.faults.length < faultsMax) traffic.faults.push(message.slice(0, 300));
      },
    });
    const stop = (): void => stage.kill();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const session = new FilmSession(stage, traffic, plan.isDrawn, nothingSaid);
    try {
      return await session.#ready(setup);
    } catch (failure) {
      stage.kill();
      throw asRenderFault(failure);
    }
  }

  /** Puts the page at a frame; pictures of videos by their clip's key, in base64. */
  async seek(order: FrameOrder): Promise<boolean> {
    return this.#guarded(async () => {
      let hasDamage = await this.#pumped(this.#stage.call(film, "seek", order));
      while (this.#traffic.pending > 0) {
        await pause(2);
        hasDamage = (await this.#frame()) || hasDamage;
      }
      return hasDamage;
    });
  }

  /** What a driven page looks like now; without a picture only whether it changed. */
  async paint(picture?: Picture): Promise<{ hasDamage: boolean; image: Buffer | undefined }> {
    return this.#guarded(() => {
      this.#timeMs += 16;
      return this.#stage.frame(this.#timeMs, picture);
    });
  }

  /** A drawn page at a frame as JPEG; `undefined` when it looks as it did before. */
  async draw(order: FrameOrder, quality: number): Promise<Buffer | undefined> {
    const drawing = this.#stage.call(film, "draw", { ...order, quality });
    const text = await this.#guarded(() => drawing);
    return typeof text === "string" ? Buffer.from(text, "base64") : undefined;
  }

  /** Loudness that the page's timelines animate. */
  async volumes(order: VolumeOrder): Promise<VolumeCurves> {
    const curves = await this.#guarded(() => this.#stage.call(film, "volumes", order));
    return curves as VolumeCurves;
  }

  /** What scripts threw since the last time. */
  takeFaults(): readonly string[] {
    return this.#traffic.faults.splice(0);
  }

  close(): void {
    this.#stage.kill();
  }

  async #ready({ plan, warnings, patience }: SessionSetup): Promise<FilmSession> {
    const { pageMs, timelineMs } = patience;
    // Nothing is behind the page but black, and not even that when it is transparent.
    await this.#stage.backdrop({ r: 0, g: 0, b: 0, a: plan.isTransparent ? 0 : 1 });
    const opening = (async () => {
      await this.#stage.goto(pageMs);
      const modules = `${filmOrigin}/.klieg/render-farm/film-page/film.js`;
      await this.#pumped(this.#stage.evaluate(loadModule(modules)));
      let report: unknown;
      const call = this.#stage.call(film, "open", plan).then((said) => {
        report = said;
      });
      await this.#pumped(call);
      for (let settling = 0; settling < 3; settling++) await this.#frame();
      return report as FilmReport;
    })();
    const report = await within(opening, pageMs + timelineMs, () => {
      const why = this.takeFaults().at(-1);
      const reason = why === undefined ? "" : ` (${why})`;
      return new RenderFault("render_timeout", `the page was not ready in time${reason}`);
    });
    for (const warning of report.warnings) warnings.add(warning);
    const session = new FilmSession(this.#stage, this.#traffic, this.#isDrawn, report);
    session.#timeMs = this.#timeMs;
    return session;
  }

  /** A driven page gets frames while it works, because some of its promises wait for one. */
  async #pumped(work: Promise<unknown>): Promise<boolean> {
    let isDone = false;
    let hasDamage = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    while (!isDone) {
      await Promise.race([done, pause(pumpMs)]);
      if (!isDone) hasDamage = (await this.#frame()) || hasDamage;
    }
    await done;
    return hasDamage;
  }

  async #frame(): Promise<boolean> {
    if (this.#isDrawn) return false;
    this.#timeMs += 16;
    return (await this.#stage.frame(this.#timeMs)).hasDamage;
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await within(
        work(),
        limits.capture.frameMs,
        () => new RenderFault("render_timeout", "a frame took too long"),
      );
    } catch (failure) {
      throw asRenderFault(failure);
    }
  }
}

const pumpMs = 4;
/** Kept of those that scripts throw between two looks. */
const faultsMax = 20;
const nothingSaid: FilmReport = {
  warnings: [],
  lacksTimeline: false,
  duration: undefined,
  obstacles: [],
};

interface Traffic {
  pending: number;
  readonly faults: string[];
}

/** A page that is not yet there has no document to add a module to. */
function loadModule(url: string): string {
  return `import(${JSON.stringify(url)}).then(() => true)`;
}

/** What runs in the page before anything of the author's. */
async function openingScript({ codeFolder, plan }: SessionSetup): Promise<string> {
  const variables = JSON.stringify(plan.compositions[0]?.variables ?? {});
  const scripts = [
    await plainScript(codeFolder, "clock"),
    await plainScript(codeFolder, "registers"),
  ];
  return [`window.__kliegVariables = ${variables};`, ...scripts].join("\n");
}

/** A plain script may not say that it is a module. */
async function plainScript(codeFolder: string, name: string): Promise<string> {
  const text = await readFile(join(codeFolder, `render-farm/film-page/${name}.js`), "utf8");
  return `(() => {${text.replace(/^export \{\};?$/m, "").replace(/^\/\/# source.*$/m, "")}\n})();`;
}

async function within<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const stop = new AbortController();
  const timer = pause(timeoutMs, undefined, { signal: stop.signal }).then(() => {
    throw late();
  });
  timer.catch(() => undefined);
  try {
    return await Promise.race([work, timer]);
  } finally {
    stop.abort();
    work.catch(() => undefined);
  }
}

function asRenderFault(failure: unknown): unknown {
  if (!(failure instanceof PageFault)) return failure;
  if (failure.message === "crashed")
    return new RenderFault(
      "out_of_memory",
      "the page used more memory than it may",
      false,
      failure,
    );
  return new RenderFault("invalid_composition", failure.message, false, failure);
}
