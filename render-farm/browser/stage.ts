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

/** A browser for one film or still, and for nothing else. */
export interface StageSetup {
  readonly chromium: ChromiumChoice;
  readonly flags: readonly string[];
  /** Where all of its pages come from. */
  readonly origin: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A foreign page. */
export interface PageSetup {
  /** The only address that the page itself may have. */
  readonly start: string;
  readonly size: Size;
  /** Runs first, in every frame of the page. */
  readonly script: string;
  /** The response for an address; `undefined`: nothing is there. */
  readonly answer: (url: string, kind: string) => Promise<StageAnswer | undefined>;
  /** Gets what the page's scripts throw. */
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
  /** An empty page, for the first caller of `open`. */
  private spare: Page | undefined;

  private constructor(running: Running, origin: string) {
    this.running = running;
    this.context = running.context;
    this.origin = origin;
  }

  /** Throws `PortError`. */
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

  /** The folder of what the browser keeps. */
  get profile(): string {
    return this.running.profile;
  }

  get isAlive(): boolean {
    return this.running.browser.isConnected();
  }

  /** A page that paints only on request. Throws `PortError`. */
  async open(setup: PageSetup): Promise<Stage> {
    try {
      const page = this.spare ?? (await this.openDrivenPage());
      this.spare = undefined;
      const onFault = ({ message }: Error): void => setup.onFault(message);
      page.on("pageerror", onFault);
      const answer = (route: Route): Promise<void> =>
        // A request whose page closes meanwhile can and need not be answered.
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

  /** Leaves it with one empty page and nothing of what there was. Throws `PortError`. */
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

  /** Ends all of its processes at once. */
  kill(): void {
    this.running.kill();
  }

  /** And removes what it kept. */
  async close(): Promise<void> {
    await this.running.close();
  }

  /** A page that has visited the film's origin has the process that the film needs. */
  private async prepare(): Promise<void> {
    // Pages have routes of their own; all other requests get nothing.
    await this.context.route("**/*", (route) => answerBlank(route, `${this.origin}/`));
    this.context.on("page", (page) => this.take(page));
    const spare = await this.openDrivenPage();
    for (const page of this.context.pages()) if (page !== spare) await page.close();
    await spare.goto(`${this.origin}/`, { waitUntil: "commit" });
    this.spare = spare;
  }

  /** Playwright does not create such pages, but accepts them. */
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
    return session;
  }

  /** Closes pages that an author's script opened. */
  private take(page: Page): void {
    const arrived = this.awaited.shift();
    if (arrived === undefined) void page.close().catch(() => undefined);
    else arrived(page);
  }
}

const frameMs = 16;
/** What moves by the browser's own time stands still. */
const stepMs = 0.05;
/** For a page's last scripts. */
const leavingMs = 10_000;

interface Turns {
  last: Promise<unknown>;
  /** Of frames; it never goes back. */
  timeMs: number;
}

/**
 * The page has no network but `answer`. What a dead browser spoils is a `PortError`; a page's own
 * fault is a `PageError`.
 */
export class Stage {
  private readonly browser: Browser;
  private readonly page: Page;
  private readonly session: CDPSession;
  /** Of pending calls; one promise of the page's end would retain all of their results. */
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

  /** Lets go of the page. */
  async leave(): Promise<void> {
    this.page.off("crash", this.onCrash);
    this.browser.off("disconnected", this.onLoss);
    await this.session.detach();
  }

  /** However long that takes: its page is bounded as a whole. */
  async goto(): Promise<void> {
    const left = this.page.goto(this.start, { waitUntil: "commit", timeout: 0 });
    await this.unlessDead(left);
  }

  /** Calls a method of an object that the page holds under a global name; JSON both ways. */
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
   * One frame of a page that the compositor captures, with a picture only when asked for. A hidden
   * one is not drawn by the compositor: what it changes is damage of the next that is shown.
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

  /** What lies behind the page; without it nothing does. */
  async backdrop(color: { r: number; g: number; b: number; a: number }): Promise<void> {
    await this.send("Emulation.setDefaultBackgroundColorOverride", { color });
  }

  /** Gives back what frames left behind; the browser itself waits for hundreds of megabytes. */
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

/** What a page did wrong; the message is the page's own. */
export class PageError extends Error {
  override readonly name = "PageError";
}

export interface Picture {
  readonly format: "jpeg" | "png";
  readonly quality?: number;
}

export interface Painted {
  /** Whether anything looks other than in the frame before. */
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
  // A page stays where it is; what it holds in frames may go elsewhere in the bundle.
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
