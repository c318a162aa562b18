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
 * Browsers for films. While no film is being made, some are kept ready, so that the next film need
 * not wait for their start. Each serves one film only; a browser that made a still is kept for a
 * while for the next still of the same film.
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
   * `count` returns how many browsers to keep ready and is called each time; `fontsTime` returns
   * when the machine's fonts last changed.
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

  /** The reason why no page can be opened on this machine, if there is one. */
  get refusal(): string | undefined {
    return this.isolation.kind === "refused" ? this.isolation.sentence : undefined;
  }

  /** Returns a browser. Throws `PortError`, or `RenderError` if pages could access the network. */
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

  /** Takes the browser that is kept for a film, if there is one. */
  async takeKept(film: string): Promise<KeptBrowser | undefined> {
    await this.dismissOutdated();
    const kept = this.kept;
    if (kept?.film !== film) return undefined;
    this.kept = undefined;
    this.taken += 1;
    kept.stopTimer();
    const { browser } = kept;
    // If its page did not open, the browser is ended; the caller then opens one in a new browser.
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
   * Keeps a taken browser for the next still of its film instead of ending it. `ready` resolves
   * when the browser may be taken, to its page if one is open.
   */
  keep(browser: StageBrowser, film: string, ready: Promise<FilmSession | undefined>): void {
    this.taken -= 1;
    this.endKept();
    // The caller that takes the browser handles the error.
    ready.catch(() => undefined);
    const stopTimer = this.timers.after(limits.capture.keptBrowserMs, () => this.endKept());
    this.kept = { browser, film, ready, stopTimer };
    if (this.isClosed) this.endKept();
  }

  /** Starts missing spare browsers once no film has been made for a moment. */
  refill(): void {
    this.stopRefill();
    this.stopRefill = this.timers.after(limits.capture.restMs, () => this.fill());
  }

  /** Ends the spare browsers, because a film that has its browsers needs their memory. */
  dismiss(): void {
    this.endKept();
    for (const starting of this.ready.splice(0))
      this.endSoon(starting.then((browser) => browser.close()));
  }

  /** Ends the spare browsers and starts no more. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.stopRefill();
    this.dismiss();
    await this.ending;
  }

  /** Ends browsers started before fonts changed, so that all of a film know the same fonts. */
  private async dismissOutdated(): Promise<void> {
    const time = await this.fontsTime();
    if (this.fontsKnown !== undefined && this.fontsKnown !== time) this.dismiss();
    this.fontsKnown = time;
  }

  /** Starts browsers one after the other, because the first is needed first. */
  private fill(): void {
    if (this.taken > 0 || this.isClosed || this.ready.length >= this.count()) return;
    const starting = this.start();
    this.ready.push(starting);
    // The caller that takes a browser whose start failed starts another.
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

  /** Files that cannot be removed now are removed later, with those of killed nodes. */
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

/** A browser that has made stills of a film and was kept. */
export interface KeptBrowser {
  readonly browser: StageBrowser;
  /** A page for the next still, if it is open already. */
  readonly page: FilmSession | undefined;
}

interface Kept {
  readonly browser: StageBrowser;
  readonly film: string;
  readonly ready: Promise<FilmSession | undefined>;
  readonly stopTimer: () => void;
}
