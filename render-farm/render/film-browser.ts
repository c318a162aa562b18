import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChromiumChoice } from "../browser.ts";
import { StageBrowser } from "../stage.ts";
import { FilmSession, type SessionSetup } from "./film-page-session.ts";

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
/** The browser of one film, ended when the signal aborts. */
export class FilmBrowser {
  readonly #browser: StageBrowser;
  readonly #setup: SessionSetup;
  readonly #signal: AbortSignal;
  readonly #sessions: FilmSession[] = [];
  #opened = 0;
  #isClosed = false;

  private constructor(browser: StageBrowser, setup: SessionSetup, signal: AbortSignal) {
    this.#browser = browser;
    this.#setup = setup;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  static async launch(
    setup: SessionSetup,
    chromium: ChromiumChoice,
    signal: AbortSignal,
  ): Promise<FilmBrowser> {
    const { width, height } = setup.plan;
    const profile = await mkdtemp(join(tmpdir(), "klieg-browser-"));
    const browser = await StageBrowser.launch({
      chromium,
      profile,
      size: { width, height },
      flags,
    });
    return new FilmBrowser(browser, setup, signal);
  }

  /** A page at its first frame. Throws `RenderFault` when it gets never ready. */
  async open(kind: "drawn" | "driven"): Promise<FilmSession> {
    const { plan } = this.#setup;
    const isDrawn = kind === "drawn";
    const hasVideos = plan.clips.some((clip) => clip.kind === "video");
    this.#opened += 1;
    const mark = isDrawn || hasVideos ? `klieg-exchange-${this.#opened}` : "";
    const own = { ...this.#setup, plan: { ...plan, isDrawn, mark } };
    const session = await FilmSession.open(this.#browser, own);
    this.#sessions.push(session);
    return session;
  }

  /** Ends all of its pages at once. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#signal.removeEventListener("abort", this.#stop);
    this.#stop();
    await Promise.all(this.#sessions.map((session) => session.close()));
    await rm(this.#browser.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #stop = (): void => this.#browser.kill();
}
