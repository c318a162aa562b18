import { StageBrowser } from "../stage.ts";
import type { Isolation } from "./isolation.ts";
import { filmOrigin } from "./page-files.ts";
import { RenderFault } from "./render-fault.ts";

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
 * Browsers for films. While none is made some stand ready, so that the next need not wait for their
 * start. Each serves one film and no other.
 */
export class SpareBrowsers {
  readonly #isolation: Isolation;
  readonly #count: () => number;
  readonly #ready: Promise<StageBrowser>[] = [];
  #dismissing: Promise<unknown> = Promise.resolve();
  #taken = 0;
  #isClosed = false;

  /** `count`: how many stand ready, asked each time. */
  constructor(isolation: Isolation, count: () => number) {
    this.#isolation = isolation;
    this.#count = count;
  }

  /** Why no page is opened on this machine. */
  get refusal(): string | undefined {
    return this.#isolation.kind === "refused" ? this.#isolation.sentence : undefined;
  }

  /** Throws `PortError`, and `RenderFault` where pages cannot be kept off the network. */
  async take(): Promise<StageBrowser> {
    this.#taken += 1;
    try {
      const spare = await this.#ready.shift()?.catch(() => undefined);
      return spare?.isAlive === true ? spare : await this.#start();
    } catch (failure) {
      this.#taken -= 1;
      throw failure;
    }
  }

  /** Ends a browser that was taken. */
  async end(browser: StageBrowser): Promise<void> {
    await browser.close();
    this.#taken -= 1;
  }

  /** Starts those that are missing, unless a film is being made. */
  refill(): void {
    if (this.#taken > 0 || this.#isClosed) return;
    while (this.#ready.length < this.#count()) {
      const starting = this.#start();
      // Whoever takes it starts another.
      starting.catch(() => undefined);
      this.#ready.push(starting);
    }
  }

  /** A film that has its browsers needs the memory of those that stand ready. */
  dismiss(): void {
    // What cannot be removed is swept away with what killed nodes leave.
    const ending = this.#endReady().catch(() => undefined);
    this.#dismissing = Promise.all([this.#dismissing, ending]);
  }

  /** Ends those that stand ready, for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#dismissing;
    await this.#endReady();
  }

  async #endReady(): Promise<void> {
    const ready = await Promise.allSettled(this.#ready.splice(0));
    for (const one of ready) if (one.status === "fulfilled") await one.value.close();
  }

  async #start(): Promise<StageBrowser> {
    const isolation = this.#isolation;
    if (isolation.kind === "refused") throw new RenderFault("internal", isolation.sentence);
    return StageBrowser.launch({ chromium: isolation.chromium, flags, origin: filmOrigin });
  }
}
