import type { StageBrowser } from "../stage.ts";
import { FilmSession, type SessionSetup } from "./film-page-session.ts";
import type { SpareBrowsers } from "./spare-browsers.ts";

/** The browser of one film, ended when the signal aborts. */
export class FilmBrowser {
  readonly #browsers: SpareBrowsers;
  readonly #browser: StageBrowser;
  readonly #setup: SessionSetup;
  readonly #signal: AbortSignal;
  readonly #sessions: FilmSession[] = [];
  #opened = 0;
  #isClosed = false;

  private constructor(
    browsers: SpareBrowsers,
    browser: StageBrowser,
    setup: SessionSetup,
    signal: AbortSignal,
  ) {
    this.#browsers = browsers;
    this.#browser = browser;
    this.#setup = setup;
    this.#signal = signal;
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  static async from(
    browsers: SpareBrowsers,
    setup: SessionSetup,
    signal: AbortSignal,
  ): Promise<FilmBrowser> {
    return new FilmBrowser(browsers, await browsers.take(), setup, signal);
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
    await this.#browsers.end(this.#browser);
  }

  #stop = (): void => this.#browser.kill();
}
