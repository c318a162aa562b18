import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  type ChromiumChoice,
  launch,
  type Page,
  type Route,
  type Running,
} from "./browser.ts";

/** Setup of a browser that is used for one film or still only. */
export interface StageSetup {
  readonly chromium: ChromiumChoice;
  readonly flags: readonly string[];
  /** Origin of all of its pages. */
  readonly origin: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Setup of a page with untrusted content. */
export interface PageSetup {
  /** The only address to which the page itself may navigate. */
  readonly start: string;
  readonly size: Size;
  /** Script that runs first in every frame of the page. */
  readonly script: string;
  /** Returns the response for an address; `undefined` when there is nothing at it. */
  readonly answer: (url: string, kind: string) => Promise<StageAnswer | undefined>;
  /** Receives errors that the page's scripts throw. */
  readonly onFault: (message: string) => void;
}

export interface StageAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Pages of one film, in processes of their own, painted one after the other. */
export class StageBrowser {
  private readonly running: Running;
  private readonly context: BrowserContext;
  private readonly painting: Turns = { last: Promise.resolve(), timeMs: 1_000 };
  private readonly leaving: (() => Promise<Page>)[] = [];
  private readonly awaited: ((page: Page) => void)[] = [];
  private readonly origin: string;
  /** An empty page, kept for the first call of `open`. */
  private spare: Page | undefined;

  private constructor(running: Running, origin: string) {
    this.running = running;
    this.context = running.context;
    this.origin = origin;
  }

  /** Starts the browser. Throws `PortError`. */
  static async launch({ chromium, flags, origin }: StageSetup): Promise<StageBrowser> {
    const running = await launch(chromium, flags);
    try {
      const browser = new StageBrowser(running, origin);
      await browser.prepare();
      return browser;
    } catch (failure) {
      await running.close();
      throw new PortError("the browser opened no page", true, failure);
    }
  }

  /** Folder in which the browser keeps its data. */
  get profile(): string {
    return this.running.profile;
  }

  get isAlive(): boolean {
    return this.running.browser.isConnected();
  }

  /** Opens a page that paints only on request. Throws `PortError`. */
  async open(setup: PageSetup): Promise<Stage> {
    try {
      const page = this.spare ?? (await this.openDrivenPage());
      this.spare = undefined;
      const onFault = ({ message }: Error): void => setup.onFault(message);
      page.on("pageerror", onFault);
      const answer = (route: Route): Promise<void> =>
        // A request whose page closes meanwhile cannot be answered and needs no answer.
        answerRoute(route, setup).catch(() => route.abort().catch(() => undefined));
      const [session, script] = await Promise.all([
        this.session(page),
        page.addInitScript({ content: setup.script }),
        page.setViewportSize(setup.size),
        page.route("**/*", answer),
      ]);
      const stage = new Stage(this.running, page, session, setup.start, this.painting);
      this.leaving.push(async () => {
        page.off("pageerror", onFault);
        await Promise.all([stage.leave(), script.dispose(), page.unroute("**/*", answer)]);
        return page;
      });
      return stage;
    } catch (failure) {
      throw new PortError("the browser opened no page", true, failure);
    }
  }

  /** Resets the browser to one empty page, without any earlier data. Throws `PortError`. */
  async renew(): Promise<void> {
    try {
      const [page] = await Promise.all(this.leaving.splice(0).map((leave) => leave()));
      const kept = page ?? (await this.openDrivenPage());
      const others = this.context.pages().filter((one) => one !== kept);
      await Promise.all(others.map((one) => one.close()));
      await kept.goto(`${this.origin}/`, { waitUntil: "commit", timeout: leavingMs });
      const session = await this.context.newCDPSession(kept);
      const storage = { origin: this.origin, storageTypes: "all" };
      await Promise.all([
        kept.evaluate("sessionStorage.clear(); window.name = ''"),
        session.send("Storage.clearDataForOrigin", storage),
      ]);
      await session.detach();
      this.spare = kept;
    } catch (failure) {
      throw new PortError("the browser kept what it had", true, failure);
    }
  }

  /** Kills all processes of the browser at once. */
  kill(): void {
    this.running.kill();
  }

  /** Kills the browser and removes its data. */
  async close(): Promise<void> {
    await this.running.close();
  }

  /** A page that has visited the film's origin already has the process that the film needs. */
  private async prepare(): Promise<void> {
    // Pages have routes of their own; requests without one get an empty answer.
    await this.context.route("**/*", (route) => answerBlank(route, `${this.origin}/`));
    this.context.on("page", (page) => this.take(page));
    const spare = await this.openDrivenPage();
    for (const page of this.context.pages()) if (page !== spare) await page.close();
    await spare.goto(`${this.origin}/`, { waitUntil: "commit" });
    this.spare = spare;
  }

  /** Playwright does not create pages that are painted on request, but accepts them. */
  private async openDrivenPage(): Promise<Page> {
    const arrived = new Promise<Page>((resolve) => this.awaited.push(resolve));
    const session = await this.running.browser.newBrowserCDPSession();
    await session.send("Target.createTarget", {
      url: "about:blank",
      enableBeginFrameControl: true,
    });
    return arrived;
  }

  private async session(page: Page): Promise<CDPSession> {
    const session = await this.context.newCDPSession(page);
    const quotaSize = limits.capture.storageBytesMax;
    await session.send("Storage.overrideQuotaForOrigin", { origin: this.origin, quotaSize });
    // Otherwise the real time that a page needs to open would end its short animations.
    await session.send("Animation.setPlaybackRate", { playbackRate: 0 });
    return session;
  }

  /** Accepts an awaited page, and closes pages that an author's script opened. */
  private take(page: Page): void {
    const arrived = this.awaited.shift();
    if (arrived === undefined) void page.close().catch(() => undefined);
    else arrived(page);
  }
}

const frameMs = 16;
/** Time per painted frame, so short that animations on the browser's own clock do not move. */
const stepMs = 0.05;
/** Time limit for a page's last scripts. */
const leavingMs = 10_000;

interface Turns {
  last: Promise<unknown>;
  /** Time of the frames, which never goes back. */
  timeMs: number;
}

/**
 * A page whose only network is `answer`. Failures of a dead browser are `PortError`s; a page's own
 * fault is a `PageError`.
 */
export class Stage {
  private readonly browser: Browser;
  private readonly page: Page;
  private readonly session: CDPSession;
  /** Rejects pending calls; a single promise of the page's end would retain all their results. */
  private readonly rejects = new Set<(fault: Error) => void>();
  private readonly start: string;
  private readonly painting: Turns;
  private global = "";
  private end: Error | undefined;

  constructor(running: Running, page: Page, session: CDPSession, start: string, painting: Turns) {
    this.painting = painting;
    this.page = page;
    this.session = session;
    this.start = start;
    this.browser = running.browser;
    page.once("crash", this.onCrash);
    this.browser.once("disconnected", this.onLoss);
  }

  /** Releases the page. */
  async leave(): Promise<void> {
    this.page.off("crash", this.onCrash);
    this.browser.off("disconnected", this.onLoss);
    await this.session.detach();
  }

  /** Navigates without a time limit, since the page as a whole has one. */
  async goto(): Promise<void> {
    const left = this.page.goto(this.start, { waitUntil: "commit", timeout: 0 });
    await this.unlessDead(left);
  }

  /** Calls a method of a global object in the page; arguments and results are JSON. */
  async call(global: string, method: string, argument: unknown): Promise<unknown> {
    const { result, exceptionDetails } = await this.send("Runtime.callFunctionOn", {
      functionDeclaration:
        "function (name, method, argument) {" + "return this[name][method](argument); }",
      objectId: await this.globalObject(),
      arguments: [{ value: global }, { value: method }, { value: argument }],
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw createPageError(exceptionDetails);
    return result.value;
  }

  async evaluate(expression: string): Promise<unknown> {
    const wanted = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", wanted);
    if (exceptionDetails !== undefined) throw createPageError(exceptionDetails);
    return result.value;
  }

  /**
   * Paints one frame of a page that the compositor captures, with a picture only when requested. A
   * hidden frame is not drawn by the compositor, which saves time in pages that are not captured:
   * Chromium forgets some of its damage (opacity of a held animation), so a later picture may show
   * an earlier opacity.
   */
  async frame(shown: "hidden" | { picture?: Picture | undefined }): Promise<Painted> {
    const isHidden = shown === "hidden";
    const screenshot = isHidden || shown.picture === undefined ? undefined : shown.picture;
    const turns = this.painting;
    // Chromium ends its compositor's process when two pages ask at once.
    const painting = turns.last.then(() => {
      turns.timeMs += stepMs;
      return this.send("HeadlessExperimental.beginFrame", {
        frameTimeTicks: turns.timeMs,
        interval: frameMs,
        noDisplayUpdates: isHidden,
        ...(screenshot !== undefined && { screenshot: { ...screenshot, optimizeForSpeed: true } }),
      });
    });
    turns.last = painting.then(
      () => undefined,
      () => undefined,
    );
    const { hasDamage, screenshotData } = await painting;
    const image = screenshotData === undefined ? undefined : Buffer.from(screenshotData, "base64");
    return { hasDamage, image };
  }

  /** Sets the colour behind the page, which is transparent by default. */
  async backdrop(color: { r: number; g: number; b: number; a: number }): Promise<void> {
    await this.send("Emulation.setDefaultBackgroundColorOverride", { color });
  }

  /** Frees memory that frames left behind; the browser would wait for hundreds of megabytes. */
  async collectGarbage(): Promise<void> {
    await this.send("HeapProfiler.collectGarbage");
  }

  private async globalObject(): Promise<string> {
    if (this.global !== "") return this.global;
    const { result } = await this.send("Runtime.evaluate", { expression: "globalThis" });
    this.global = result.objectId ?? "";
    return this.global;
  }

  private send: CDPSession["send"] = (method, parameters) =>
    this.unlessDead(this.session.send(method, parameters));

  private async unlessDead<T>(work: Promise<T>): Promise<T> {
    if (this.end !== undefined) {
      work.catch(() => undefined);
      throw this.end;
    }
    let reject: (fault: Error) => void = () => undefined;
    const ending = new Promise<never>((_, rejectEnding) => {
      reject = rejectEnding;
    });
    this.rejects.add(reject);
    try {
      return await Promise.race([work, ending]);
    } catch (failure) {
      if (failure instanceof PageError || failure instanceof PortError) throw failure;
      throw new PortError("the browser died", true, failure);
    } finally {
      this.rejects.delete(reject);
    }
  }

  private onCrash = (): void => this.endWith(new PageError("crashed"));

  private onLoss = (): void => this.endWith(new PortError("the browser died", true));

  private endWith(fault: Error): void {
    this.end ??= fault;
    for (const reject of this.rejects) reject(fault);
  }
}

/** A fault of a page; the message is the page's own. */
export class PageError extends Error {
  override readonly name = "PageError";
}

export interface Picture {
  readonly format: "jpeg" | "png";
  readonly quality?: number;
}

export interface Painted {
  /** Whether anything looks different from the frame before. */
  readonly hasDamage: boolean;
  readonly image: Buffer | undefined;
}

function createPageError(details: {
  text: string;
  exception?: { description?: string };
}): PageError {
  return new PageError((details.exception?.description ?? details.text).slice(0, 1_000));
}

function answerBlank(route: Route, blank: string): Promise<void> {
  const isBlank = route.request().url() === blank;
  const answer = isBlank ? route.fulfill({ contentType: "text/html", body: "" }) : route.abort();
  return answer.catch(() => undefined);
}

async function answerRoute(route: Route, { answer, start }: PageSetup): Promise<void> {
  const request = route.request();
  // A page stays at its address; frames in it may navigate within the bundle.
  const isLeaving = request.isNavigationRequest() && request.frame().parentFrame() === null;
  if (isLeaving && request.url() !== start) return route.abort("aborted");
  const found = await answer(request.url(), request.resourceType());
  if (found === undefined) return route.abort();
  return route.fulfill({
    contentType: found.contentType,
    headers: { "Access-Control-Allow-Origin": "*" },
    body: found.body,
  });
}
