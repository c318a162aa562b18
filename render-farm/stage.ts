import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "../config/limits.ts";
import { PortError } from "../engine/ports/port-error.ts";
import {
  type BrowserContext,
  type CDPSession,
  type ChromiumChoice,
  launchProfile,
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

/** A page that belongs to somebody else. */
export interface PageSetup {
  /** The only address that the page itself may have. */
  readonly start: string;
  readonly size: Size;
  /** Runs first, in every frame of the page. */
  readonly script: string;
  /** What stands under an address; `undefined`: nothing does. */
  readonly answer: (url: string, kind: string) => Promise<StageAnswer | undefined>;
  /** Hears what the page's scripts throw. */
  readonly onFault: (message: string) => void;
}

export interface StageAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Pages of one film, in processes of their own, painted one after the other. */
export class StageBrowser {
  /** The folder of what the browser keeps. */
  readonly profile: string;
  readonly #running: Running;
  readonly #context: BrowserContext;
  readonly #painting: Turns = { last: Promise.resolve() };
  readonly #awaited: ((page: Page) => void)[] = [];
  /** An empty page, for whoever opens one first. */
  #spare: Page | undefined;

  private constructor(running: Running, context: BrowserContext, profile: string) {
    this.#running = running;
    this.#context = context;
    this.profile = profile;
  }

  /** Throws `PortError`. */
  static async launch({ chromium, flags, origin }: StageSetup): Promise<StageBrowser> {
    const profile = await mkdtemp(join(tmpdir(), "klieg-browser-"));
    try {
      const { running, context } = await launchProfile(chromium, flags, profile);
      const browser = new StageBrowser(running, context, profile);
      await browser.#prepare(`${origin}/`).catch((failure: unknown) => {
        running.kill();
        throw new PortError("the browser opened no page", true, failure);
      });
      return browser;
    } catch (failure) {
      await emptied(profile);
      throw failure;
    }
  }

  get isAlive(): boolean {
    return this.#running.browser.isConnected();
  }

  /** A page that paints only when it is told to. Throws `PortError`. */
  async open(setup: PageSetup): Promise<Stage> {
    try {
      const page = this.#spare ?? (await this.#drivenPage());
      this.#spare = undefined;
      await page.setViewportSize(setup.size);
      await page.addInitScript({ content: setup.script });
      await page.route("**/*", (route) =>
        // A request whose page closes meanwhile can and need not be answered.
        answered(route, setup).catch(() => route.abort().catch(() => undefined)),
      );
      page.on("pageerror", ({ message }) => setup.onFault(message));
      page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
      const session = await this.#context.newCDPSession(page);
      const { origin } = new URL(setup.start);
      const quotaSize = limits.capture.storageBytesMax;
      await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize });
      return new Stage(this.#running, page, session, setup.start, this.#painting);
    } catch (failure) {
      throw new PortError("the browser opened no page", true, failure);
    }
  }

  /** Ends all of its processes at once. */
  kill(): void {
    this.#running.kill();
  }

  /** And removes what it kept. */
  async close(): Promise<void> {
    this.kill();
    await emptied(this.profile);
  }

  /** A page that has been where the film will come from has the process that the film needs. */
  async #prepare(blank: string): Promise<void> {
    // Pages answer for themselves; whatever else asks for something gets nothing.
    await this.#context.route("**/*", (route) => answeredBlank(route, blank));
    this.#context.on("page", (page) => this.#take(page));
    this.#spare = await this.#drivenPage();
    for (const page of this.#context.pages()) if (page !== this.#spare) await page.close();
    await this.#spare.goto(blank, { waitUntil: "commit" });
  }

  /** Playwright makes no such pages, but takes them as they come. */
  async #drivenPage(): Promise<Page> {
    const arrived = new Promise<Page>((resolve) => this.#awaited.push(resolve));
    const session = await this.#running.browser.newBrowserCDPSession();
    await session.send("Target.createTarget", {
      url: "about:blank",
      enableBeginFrameControl: true,
    });
    return arrived;
  }

  /** Pages that nobody opened but an author's script are closed. */
  #take(page: Page): void {
    const arrived = this.#awaited.shift();
    if (arrived === undefined) void page.close().catch(() => undefined);
    else arrived(page);
  }
}

interface Turns {
  last: Promise<unknown>;
}

/**
 * The page has no network but `answer`. What a dead browser spoils is a `PortError`; a page's own
 * fault is a `PageFault`.
 */
export class Stage {
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #died: Promise<never>;
  readonly #start: string;
  readonly #painting: Turns;
  #global = "";

  constructor(running: Running, page: Page, session: CDPSession, start: string, painting: Turns) {
    this.#painting = painting;
    this.#page = page;
    this.#session = session;
    this.#start = start;
    this.#died = new Promise((_, reject) => {
      page.once("crash", () => reject(new PageFault("crashed")));
      running.browser.once("disconnected", () => reject(new PortError("the browser died", true)));
    });
    this.#died.catch(() => undefined);
  }

  async goto(timeoutMs: number): Promise<void> {
    const left = this.#page.goto(this.#start, { waitUntil: "commit", timeout: timeoutMs });
    await this.#unlessDead(left);
  }

  /** Calls a method of an object that the page holds under a global name; JSON both ways. */
  async call(global: string, method: string, argument: unknown): Promise<unknown> {
    const { result, exceptionDetails } = await this.#send("Runtime.callFunctionOn", {
      functionDeclaration:
        "function (name, method, argument) {" + "return this[name][method](argument); }",
      objectId: await this.#globalObject(),
      arguments: [{ value: global }, { value: method }, { value: argument }],
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw faultOf(exceptionDetails);
    return result.value;
  }

  async evaluate(expression: string): Promise<unknown> {
    const wanted = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", wanted);
    if (exceptionDetails !== undefined) throw faultOf(exceptionDetails);
    return result.value;
  }

  /**
   * One frame of a driven page, with a picture only when asked for. A hidden one is not drawn by
   * the compositor: what it changes is damage of the next that is shown.
   */
  async frame(
    timeMs: number,
    shown: "hidden" | { picture?: Picture | undefined },
  ): Promise<Painted> {
    const isHidden = shown === "hidden";
    const screenshot = isHidden || shown.picture === undefined ? undefined : shown.picture;
    // Chromium ends its compositor's process when two pages ask at once.
    const painting = this.#painting.last.then(() =>
      this.#send("HeadlessExperimental.beginFrame", {
        frameTimeTicks: timeMs,
        interval: 16,
        noDisplayUpdates: isHidden,
        ...(screenshot !== undefined && { screenshot: { ...screenshot, optimizeForSpeed: true } }),
      }),
    );
    this.#painting.last = painting.catch(() => undefined);
    const { hasDamage, screenshotData } = await painting;
    const image = screenshotData === undefined ? undefined : Buffer.from(screenshotData, "base64");
    return { hasDamage, image };
  }

  /** What lies behind the page; without it nothing does. */
  async backdrop(color: { r: number; g: number; b: number; a: number }): Promise<void> {
    await this.#send("Emulation.setDefaultBackgroundColorOverride", { color });
  }

  /** Gives back what frames left behind; the browser itself waits for hundreds of megabytes. */
  async collectGarbage(): Promise<void> {
    await this.#send("HeapProfiler.collectGarbage");
  }

  async #globalObject(): Promise<string> {
    if (this.#global !== "") return this.#global;
    const { result } = await this.#send("Runtime.evaluate", { expression: "globalThis" });
    this.#global = result.objectId ?? "";
    return this.#global;
  }

  #send: CDPSession["send"] = (method, parameters) =>
    this.#unlessDead(this.#session.send(method, parameters));

  #unlessDead<T>(work: Promise<T>): Promise<T> {
    const failed = (failure: unknown): never => {
      if (failure instanceof PageFault || failure instanceof PortError) throw failure;
      throw new PortError("the browser died", true, failure);
    };
    return Promise.race([work, this.#died]).catch(failed);
  }
}

/** What a page did wrong; the message is the page's own. */
export class PageFault extends Error {
  override readonly name = "PageFault";
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

function faultOf(details: { text: string; exception?: { description?: string } }): PageFault {
  return new PageFault((details.exception?.description ?? details.text).slice(0, 1_000));
}

function emptied(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function answeredBlank(route: Route, blank: string): Promise<void> {
  const isBlank = route.request().url() === blank;
  const answer = isBlank ? route.fulfill({ contentType: "text/html", body: "" }) : route.abort();
  return answer.catch(() => undefined);
}

async function answered(route: Route, { answer, start }: PageSetup): Promise<void> {
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
