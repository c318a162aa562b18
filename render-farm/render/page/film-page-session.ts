import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../../config/limits.ts";
import type {
  FilmPlan,
  FilmReport,
  FrameOrder,
  MediaLayout,
  PicturePlace,
  PicturePlaces,
  VolumeCurves,
  VolumeOrder,
} from "../../../film/page/plan.ts";
import type { PageScripts } from "../../../film/page-scripts.ts";
import { PageError, type Picture, type Stage, type StageBrowser } from "../../browser/stage.ts";
import { entryUrl, type PageFiles } from "../inputs/page-files.ts";
import { RenderError, type Warnings } from "../render-error.ts";
import type { CodedPicture } from "../videos/coded-pictures.ts";
import { planesLength, type VideoPicture } from "../videos/video-frames.ts";
import { ExchangeFile } from "./exchange-file.ts";

export interface Patience {
  /** How long a page may take to load. */
  readonly pageMs: number;
  /** Time after loading within which the page's animation must register. */
  readonly timelineMs: number;
  /** Time that a frame may take after that. */
  readonly frameMs: number;
}

/** Everything needed to open a film's page. */
export interface SessionSetup {
  readonly scripts: PageScripts;
  readonly files: PageFiles;
  readonly plan: FilmPlan;
  readonly warnings: Warnings;
  readonly patience: Patience;
}

const film = "__kliegFilm";

/** A page that can show any frame of its film. It paints only on request. */
export class FilmSession {
  readonly report: FilmReport;
  /** Warnings about resources that the page lacks. */
  readonly warnings: Warnings;
  private readonly stage: Stage;
  private readonly traffic: Traffic;
  private readonly frameMs: number;
  private readonly files: PageFiles;
  private readonly exchange: ExchangeFile | undefined;
  private readonly isSelfCaptured: boolean;
  /** Whether frames given to the page have changed what it looks like since the last `paint`. */
  private hasDamage = false;
  private expected: PicturePlaces = {};
  /** Number of the frame that the page shows. */
  private at = 0;
  /** Number of animated pictures that the page knows of. */
  private movingPictures = 0;
  private pictureBytes = 0;

  private constructor(opened: Opened) {
    this.report = opened.report;
    this.warnings = opened.warnings;
    this.stage = opened.stage;
    this.traffic = opened.traffic;
    this.frameMs = opened.frameMs;
    this.files = opened.files;
    this.exchange = opened.exchange;
    this.isSelfCaptured = opened.isSelfCaptured;
  }

  /** Opens a page at its first frame. Throws `RenderError` when it never becomes ready. */
  static async open(browser: StageBrowser, setup: SessionSetup): Promise<FilmSession> {
    const { files } = setup;
    const traffic: Traffic = { asked: 0, pending: 0, faults: [] };
    const stage = await browser.open({
      start: entryUrl,
      size: setup.plan,
      script: await setup.scripts.readOpening(setup.plan.compositions[0]?.variables ?? {}),
      answer: async (url, kind) => {
        traffic.asked += 1;
        traffic.pending += 1;
        try {
          return await files.answer(url, kind);
        } finally {
          traffic.pending -= 1;
        }
      },
      onFault: (message) => {
        if (traffic.faults.length < limits.capture.pageFaultsMax)
          traffic.faults.push(message.slice(0, 300));
      },
    });
    const { warnings, patience } = setup;
    const { isSelfCaptured } = setup.plan;
    const page = { stage, traffic, warnings, files, frameMs: patience.frameMs, isSelfCaptured };
    const opened = { ...page, exchange: undefined, report: nothingSaid };
    try {
      return await new FilmSession(opened).ready(browser.profile, setup);
    } catch (failure) {
      throw asRenderError(failure);
    }
  }

  /**
   * Puts pictures of videos where the page finds them, at most two frames ahead of the frame that
   * it shows or is about to show.
   */
  async place(videos: ReadonlyMap<string, VideoPicture | CodedPicture>): Promise<PicturePlaces> {
    const places: Record<string, PicturePlace> = {};
    for (const [key, picture] of videos) {
      const place = await this.exchange?.write(key, picture);
      if (place !== undefined) places[key] = place;
      this.pictureBytes += planesLength(picture);
    }
    return places;
  }

  /** Moves the page to a frame, with the pictures of videos that are new in it. */
  async seek(frame: number, videos: PicturePlaces): Promise<void> {
    this.tidy();
    await this.approach(frame);
    await this.guard(async () => {
      const order = { frame, videos, next: {} };
      await this.pump(this.stage.call(film, "seek", order));
      await this.serve();
      if (await this.takeMoving()) await this.pump(this.stage.call(film, "seek", order));
    });
  }

  /** Starts decoding or importing pictures of videos while the page does other work. */
  async expect(videos: ReadonlyMap<string, VideoPicture | CodedPicture>): Promise<void> {
    const places = await this.place(videos);
    await this.guard(() => this.stage.call(film, "expect", places));
  }

  /** Shows the expected pictures; returns the keys of clips that the page could not decode. */
  async show(): Promise<readonly string[]> {
    const lost = await this.guard(() => this.pump(this.stage.call(film, "show", null)));
    return lost as readonly string[];
  }

  /**
   * Paints a page that the compositor captures as it looks now; without `picture`, only reports
   * whether it changed since the last call.
   */
  async paint(picture?: Picture): Promise<{ hasDamage: boolean; image: Buffer | undefined }> {
    const { hasDamage, image } = await this.guard(() => this.stage.frame({ picture }));
    const isChanged = hasDamage || this.hasDamage;
    this.hasDamage = false;
    return { hasDamage: isChanged, image };
  }

  /**
   * What a page that captures itself looks like at a frame: its planes (I420) as soon as they are
   * handed over, until the second frame after it is drawn; nothing when it looks as it did before.
   * `next`: new pictures of videos in the frame that is drawn after it.
   */
  async draw(
    frame: number,
    videos: PicturePlaces,
    next: PicturePlaces,
  ): Promise<{ readonly planes: Promise<Buffer> } | undefined> {
    this.tidy();
    await this.approach(frame);
    let order: FrameOrder = { frame, videos: videos === this.expected ? {} : videos, next };
    this.expected = next;
    for (let planes: Promise<Buffer> | undefined; ; ) {
      const { asked } = this.traffic;
      const drawing = this.stage.call(film, "draw", order);
      const result = await this.guard(() => this.pump(drawing, true));
      if (result === true) {
        planes = this.guard(() => this.takeHandedOver());
        planes.catch(() => undefined);
      }
      if (this.traffic.asked === asked) return planes && { planes };
      // The requested files may be part of the picture.
      await planes;
      await this.guard(() => this.serve());
      await this.guard(() => this.takeMoving());
      order = { frame, videos: {}, next: {} };
    }
  }

  /** Returns the page as pictures in boxes, or `null` when it is more than that. */
  async layout(): Promise<MediaLayout | null> {
    const layout = await this.guard(() => this.stage.call(film, "layout", null));
    return layout as MediaLayout | null;
  }

  /** Where the clips with these keys are in the current frame, for exports. */
  async places(keys: readonly string[]): Promise<unknown> {
    return this.guard(() => this.stage.call(film, "places", keys));
  }

  /** Hides all but one added text, so that it can be painted, and returns its size. */
  async text(id: string): Promise<unknown> {
    return this.guard(() => this.pump(this.stage.call(film, "text", id)));
  }

  /** Returns the volumes that the page's timelines animate. */
  async volumes(order: VolumeOrder): Promise<VolumeCurves> {
    const curves = await this.guard(() => this.stage.call(film, "volumes", order));
    return curves as VolumeCurves;
  }

  /** Returns the errors of scripts since the last call. */
  takeFaults(): readonly string[] {
    return this.traffic.faults.splice(0);
  }

  /** Closes the exchange file; the page itself ends with its browser. */
  async close(): Promise<void> {
    await this.exchange?.close();
  }

  private async ready(profile: string, setup: SessionSetup): Promise<FilmSession> {
    const { scripts, plan, warnings, patience } = setup;
    const { pageMs, timelineMs, frameMs } = patience;
    // The backdrop is black, or nothing at all if the film is transparent.
    await this.stage.backdrop({ r: 0, g: 0, b: 0, a: plan.isTransparent ? 0 : 1 });
    const opening = (async () => {
      await this.stage.goto();
      await this.stage.evaluate(await scripts.film());
      const result = await this.pump(this.stage.call(film, "open", plan));
      await this.frame();
      return parseReport(result);
    })();
    const report = await within(opening, pageMs + timelineMs, () => {
      const why = this.takeFaults().at(-1);
      const reason = why === undefined ? "" : ` (${why})`;
      return new RenderError("render_timeout", `the page was not ready in time${reason}`);
    });
    for (const warning of report.warnings) warnings.add(warning);
    const frameBytes = planesLength({ width: plan.width, height: plan.height, hasAlpha: false });
    const exchange =
      plan.mark === "" ? undefined : await ExchangeFile.open(profile, plan.mark, frameBytes);
    const { stage, traffic, isSelfCaptured } = this;
    const { files } = setup;
    const page = { stage, traffic, warnings, files, frameMs, isSelfCaptured };
    return new FilmSession({ ...page, exchange, report });
  }

  /** Lets the page catch up before a frame that does not follow its last one. */
  private async approach(frame: number): Promise<void> {
    const isNext = frame <= this.at + 1;
    this.at = frame;
    let isThere = isNext;
    while (!isThere) {
      const approaching = this.stage.call(film, "approach", frame);
      isThere = (await this.guard(() => this.pump(approaching))) === true;
    }
  }

  /** Pictures first requested by a script are animated by the film's time too. */
  private async takeMoving(): Promise<boolean> {
    const { movingPictures } = this.files;
    if (movingPictures === this.movingPictures) return false;
    this.movingPictures = movingPictures;
    const warnings = await this.pump(this.stage.call(film, "takeMovingImages", null));
    for (const warning of sentences(warnings)) this.warnings.add(warning);
    return true;
  }

  private async takeHandedOver(): Promise<Buffer> {
    if (this.exchange === undefined) throw new Error("a drawn page has an exchange");
    await this.stage.call(film, "handed", null);
    return this.exchange.frame();
  }

  /** Collects garbage when there is much of it; before a frame the page has no other work. */
  private tidy(): void {
    if (this.pictureBytes < limits.capture.garbageBytesMax) return;
    this.pictureBytes = 0;
    // The error is ignored: a page that fails here fails at its next call too.
    this.stage.collectGarbage().catch(() => undefined);
  }

  /** Resolves when the page has received everything that it requested. */
  private async serve(): Promise<void> {
    while (this.traffic.pending > 0) {
      await pause(2);
      await this.frame();
    }
  }

  /**
   * Gives the page frames while it works, because some of its promises wait for one. `isAwaited` is
   * set for work that is known to wait.
   */
  private async pump(work: Promise<unknown>, isAwaited = false): Promise<unknown> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => undefined);
    if (isAwaited) {
      const frame = this.frame();
      // The page has done its part while the compositor is still working.
      frame.catch(() => undefined);
      await Promise.race([done, frame]);
    }
    // Most work finishes without a frame, or with the first one.
    for (let waitMs = isAwaited ? pumpMs : patientMs; !isDone; waitMs = pumpMs) {
      await Promise.race([done, pause(waitMs)]);
      if (!isDone) await this.frame();
    }
    return done;
  }

  /** Gives the page a frame; the compositor draws it only if its pictures are the film's. */
  private async frame(): Promise<void> {
    const { hasDamage } = await this.stage.frame(this.isSelfCaptured ? "hidden" : {});
    this.hasDamage ||= hasDamage;
  }

  private async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await within(
        work(),
        this.frameMs,
        () => new RenderError("render_timeout", "a frame took too long"),
      );
    } catch (failure) {
      throw asRenderError(failure);
    }
  }
}

/** Wait before the first frame. Pictures of videos take half of it; a frame costs more. */
const patientMs = 40;
const pumpMs = 4;
const nothingSaid: FilmReport = {
  warnings: [],
  lacksTimeline: false,
  isGrounded: true,
  refusal: undefined,
  duration: undefined,
  obstacles: [],
};

/** The page's scripts may have tampered with its report. */
function parseReport(said: unknown): FilmReport {
  const { warnings, obstacles, refusal, duration, lacksTimeline, isGrounded }: Said = {
    ...(typeof said === "object" && said),
  };
  return {
    warnings: sentences(warnings),
    obstacles: sentences(obstacles),
    refusal: typeof refusal === "string" ? refusal.slice(0, 500) : undefined,
    duration: typeof duration === "number" && duration > 0 ? duration : undefined,
    lacksTimeline: lacksTimeline === true,
    isGrounded: isGrounded !== false,
  };
}

type Said = { readonly [Name in keyof FilmReport]?: unknown };

function sentences(said: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(said) ? said : [];
  return all.filter((one) => typeof one === "string").slice(0, limits.capture.warningsMax);
}

interface Opened {
  readonly stage: Stage;
  readonly traffic: Traffic;
  readonly warnings: Warnings;
  readonly files: PageFiles;
  readonly frameMs: number;
  readonly isSelfCaptured: boolean;
  readonly exchange: ExchangeFile | undefined;
  readonly report: FilmReport;
}

interface Traffic {
  asked: number;
  pending: number;
  readonly faults: string[];
}

async function within<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

function asRenderError(failure: unknown): unknown {
  if (!(failure instanceof PageError)) return failure;
  if (failure.message === "crashed")
    return new RenderError("out_of_memory", "the page exceeded its memory limit", false, failure);
  return new RenderError("invalid_composition", failure.message, false, failure);
}
