import { limits } from "../../../config/limits.ts";
import type { StageBrowser } from "../../browser/stage.ts";
import { Warnings } from "../render-error.ts";
import { FilmSession, type SessionSetup } from "./film-page-session.ts";
import type { KeptBrowser, SpareBrowsers } from "./spare-browsers.ts";

/** Counted across all browsers, because one kept from an earlier still may have had exchanges. */
let exchanges = 0;

/** The browser of one film, ended when the signal aborts. */
export class FilmBrowser {
  private readonly browsers: SpareBrowsers;
  private readonly browser: StageBrowser;
  private readonly setup: SessionSetup;
  private readonly signal: AbortSignal;
  private readonly sessions: FilmSession[] = [];
  private readonly wasKept: boolean;
  private ahead: FilmSession | undefined;
  private isClosed = false;

  private constructor(
    browsers: SpareBrowsers,
    { browser, page }: KeptBrowser,
    wasKept: boolean,
    setup: SessionSetup,
    signal: AbortSignal,
  ) {
    this.browsers = browsers;
    this.browser = browser;
    this.ahead = page;
    this.wasKept = wasKept;
    this.setup = setup;
    this.signal = signal;
    signal.addEventListener("abort", this.stop, { once: true });
    if (signal.aborted) this.stop();
  }

  /** `film` identifies the film whose browser may have been kept. */
  static async from(
    browsers: SpareBrowsers,
    setup: SessionSetup,
    signal: AbortSignal,
    film?: string,
  ): Promise<FilmBrowser> {
    const kept = film === undefined ? undefined : await browsers.takeKept(film);
    const taken = kept ?? { browser: await browsers.take(), page: undefined };
    return new FilmBrowser(browsers, taken, kept !== undefined, setup, signal);
  }

  /** Returns a page at its first frame. Throws `RenderError` when the page never becomes ready. */
  async open(kind: "self-captured" | "compositor-captured"): Promise<FilmSession> {
    const ahead = this.ahead;
    this.ahead = undefined;
    ahead?.warnings.leaveTo(this.setup.warnings);
    const session = ahead ?? (await openPage(this.browser, this.setup, kind));
    this.sessions.push(session);
    return session;
  }

  /** Ends the browser and with it all pages. */
  async close(): Promise<void> {
    if (!this.leave()) return;
    this.stop();
    await this.closeSessions();
    await this.browsers.end(this.browser);
  }

  /**
   * Keeps the browser for the next still of the same film instead of ending it. If it had been kept
   * before, further stills are likely, so the next page is opened at once.
   */
  async keep(film: string): Promise<void> {
    if (!this.leave()) return;
    await this.closeSessions();
    const warnings = new Warnings(limits.capture.warningsMax);
    const files = this.wasKept ? this.setup.files.anew(warnings) : undefined;
    const renewing = this.browser.renew();
    const ready = renewing.then(async () => {
      if (files === undefined) return undefined;
      return openPage(this.browser, { ...this.setup, files, warnings }, "compositor-captured");
    });
    this.browsers.keep(this.browser, film, ready);
  }

  /** Marks the browser as left; returns false if it was left before. */
  private leave(): boolean {
    if (this.isClosed) return false;
    this.isClosed = true;
    this.signal.removeEventListener("abort", this.stop);
    return true;
  }

  private async closeSessions(): Promise<void> {
    const sessions = this.ahead === undefined ? this.sessions : [...this.sessions, this.ahead];
    await Promise.all(sessions.map((session) => session.close()));
  }

  private stop = (): void => this.browser.kill();
}

function openPage(
  browser: StageBrowser,
  setup: SessionSetup,
  kind: "self-captured" | "compositor-captured",
): Promise<FilmSession> {
  const isSelfCaptured = kind === "self-captured";
  const hasVideos = setup.plan.clips.some((clip) => clip.kind === "video");
  const mark = isSelfCaptured || hasVideos ? `klieg-exchange-${exchanges++}` : "";
  return FilmSession.open(browser, { ...setup, plan: { ...setup.plan, isSelfCaptured, mark } });
}
