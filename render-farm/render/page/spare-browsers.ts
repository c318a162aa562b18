import { limits } from "../../../config/limits.ts";
import type { Isolation } from "../../browser/isolation.ts";
import { StageBrowser } from "../../browser/stage.ts";
import type { Timers } from "../../node/task-loop.ts";
import { filmOrigin } from "../inputs/page-files.ts";
import { RenderError } from "../render-error.ts";
import type { FilmSession } from "./film-page-session.ts";

const flags = [
  "--autoplay-policy=user-gesture-required",
  "--disable-checker-imaging",
  "--disable-image-animation-resync",
  "--disable-lcd-text",
  "--disable-new-content-rendering-timeout",
  "--disable-threaded-animation",
  "--disable-threaded-scrolling",
  "--enable-begin-frame-control",
  "--enable-blink-features=CanvasDrawElement",
  "--enable-features=CanvasDrawElement",
  "--font-render-hinting=none",
  "--hide-scrollbars",
  "--js-flags=--max-old-space-size=2048",
  "--mute-audio",
  "--proxy-bypass-list=<-loopback>",
  "--proxy-server=http://0.0.0.0:1",
  "--run-all-compositor-stages-before-draw",
];

/**
 * Browsers for films. While none is made some are kept ready, so that the next need not wait for
 * their start. Each serves one film and no other: one that made a still is kept for a while for the
 * next still of that film.
 */
export class SpareBrowsers {
  private readonly isolation: Isolation;
  private readonly count: () => number;
  private readonly timers: Pick<Timers, "after">;
  private readonly ready: Promise<StageBrowser>[] = [];
  private kept: Kept | undefined;
  private ending: Promise<unknown> = Promise.resolve();
  private stopRefill: () => void = () => undefined;
  private taken = 0;
  private isClosed = false;
  private readonly fontsTime: () => Promise<number>;
  /** When the machine's fonts last changed, as far as the spare browsers know. */
  private fontsKnown: number | undefined;

  /**
   * `count`: how many to keep ready, read each time; `fontsTime`: when the machine's fonts last
   * changed.
   */
  constructor(
    isolation: Isolation,
    count: () => number,
    timers: Pick<Timers, "after">,
    fontsTime: () => Promise<number>,
  ) {
    this.isolation = isolation;
    this.count = count;
    this.timers = timers;
    this.fontsTime = fontsTime;
  }

  /** Why no page is opened on this machine. */
  get refusal(): string | undefined {
    return this.isolation.kind === "refused" ? this.isolation.sentence : undefined;
  }

  /** Throws `PortError`, and `RenderError` where pages cannot be kept off the network. */
  async take(): Promise<StageBrowser> {
    this.taken += 1;
    await this.dismissOutdated();
    try {
      const spare = await this.ready.shift()?.catch(() => undefined);
      return spare?.isAlive === true ? spare : await this.start();
    } catch (failure) {
      this.taken -= 1;
      throw failure;
    }
  }

  /** The one that is kept for a film, if there is one. */
  async takeKept(film: string): Promise<KeptBrowser | undefined> {
    await this.dismissOutdated();
    const kept = this.kept;
    if (kept?.film !== film) return undefined;
    this.kept = undefined;
    this.taken += 1;
    kept.stopTimer();
    const { browser } = kept;
    // A page that did not open is opened again in another browser when one is needed.
    const ready = await kept.ready.then(
      (page) => ({ page }),
      () => undefined,
    );
    if (ready !== undefined && browser.isAlive) return { browser, ...ready };
    await this.end(browser);
    return undefined;
  }

  /** Ends a browser that was taken. */
  async end(browser: StageBrowser): Promise<void> {
    await browser.close();
    this.taken -= 1;
  }

  /**
   * Keeps a browser that was taken, instead of ending it, for the next still of its film. `ready`:
   * when it may be taken, with a page if one is open.
   */
  keep(browser: StageBrowser, film: string, ready: Promise<FilmSession | undefined>): void {
    this.taken -= 1;
    this.endKept();
    // The caller that takes it gets the error.
    ready.catch(() => undefined);
    const stopTimer = this.timers.after(limits.capture.keptBrowserMs, () => this.endKept());
    this.kept = { browser, film, ready, stopTimer };
    if (this.isClosed) this.endKept();
  }

  /** Starts those that are missing when no film has been made for a moment. */
  refill(): void {
    this.stopRefill();
    this.stopRefill = this.timers.after(limits.capture.restMs, () => this.fill());
  }

  /** A film that has its browsers needs the memory of the spare ones. */
  dismiss(): void {
    this.endKept();
    for (const starting of this.ready.splice(0))
      this.endSoon(starting.then((browser) => browser.close()));
  }

  /** Ends the spare ones and starts no more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.stopRefill();
    this.dismiss();
    await this.ending;
  }

  /** A film's browsers all know the same fonts. */
  private async dismissOutdated(): Promise<void> {
    const time = await this.fontsTime();
    if (this.fontsKnown !== undefined && this.fontsKnown !== time) this.dismiss();
    this.fontsKnown = time;
  }

  /** One after the other, because the first is wanted first. */
  private fill(): void {
    if (this.taken > 0 || this.isClosed || this.ready.length >= this.count()) return;
    const starting = this.start();
    this.ready.push(starting);
    // A caller that takes one that failed starts another.
    starting.then(
      () => this.fill(),
      () => undefined,
    );
  }

  private endKept(): void {
    const kept = this.kept;
    if (kept === undefined) return;
    this.kept = undefined;
    kept.stopTimer();
    this.endSoon(kept.ready.then((page) => page?.close()));
    this.endSoon(kept.browser.close());
  }

  /** What cannot be removed now is removed later, with the leftovers of killed nodes. */
  private endSoon(ending: Promise<unknown>): void {
    this.ending = Promise.all([this.ending, ending.catch(() => undefined)]);
  }

  private async start(): Promise<StageBrowser> {
    const isolation = this.isolation;
    if (isolation.kind === "refused") throw new RenderError("internal", isolation.sentence);
    this.fontsKnown ??= await this.fontsTime();
    return StageBrowser.launch({ chromium: isolation.chromium, flags, origin: filmOrigin });
  }
}

/** It has made stills of a film. */
export interface KeptBrowser {
  readonly browser: StageBrowser;
  /** For the next one, if it is open already. */
  readonly page: FilmSession | undefined;
}

interface Kept {
  readonly browser: StageBrowser;
  readonly film: string;
  readonly ready: Promise<FilmSession | undefined>;
  readonly stopTimer: () => void;
}
