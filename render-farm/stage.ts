import { PortError } from "../engine/ports/port-error.ts";
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

/** A page that belongs to somebody else, in a browser of its own: one for each film or still. */
export interface StageSetup {
  readonly chromium: ChromiumChoice;
  readonly size: { readonly width: number; readonly height: number };
  readonly flags: readonly string[];
  /** The page paints only when it is told to. */
  readonly isDriven: boolean;
  /** The only address that the page itself may have. */
  readonly start: string;
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

/**
 * The page has no network but `answer`. What a dead browser spoils is a `PortError`; a page's own
 * fault is a `PageFault`.
 */
export class Stage {
  readonly #running: Running;
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #died: Promise<never>;
  readonly #start: string;
  #global = "";

  private constructor(running: Running, page: Page, session: CDPSession, start: string) {
    this.#running = running;
    this.#page = page;
    this.#session = session;
    this.#start = start;
    this.#died = new Promise((_, reject) => {
      page.once("crash", () => reject(new PageFault("crashed")));
      running.browser.once("disconnected", () => reject(new PortError("the browser died", true)));
    });
    this.#died.catch(() => undefined);
  }

  static async open(setup: StageSetup): Promise<Stage> {
    const running = await launch(setup.chromium, setup.flags);
    try {
      const { browser } = running;
      const context = await browser.newContext({
        viewport: setup.size,
        serviceWorkers: "block",
        acceptDownloads: false,
        bypassCSP: true,
        locale: "en-US",
        timezoneId: "UTC",
      });
      await context.addInitScript({ content: setup.script });
      await context.route("**/*", (route) =>
        // A request whose page closes meanwhile can and need not be answered.
        answered(route, setup).catch(() => route.abort().catch(() => undefined)),
      );
      const page = setup.isDriven ? await drivenPage(browser, context) : await context.newPage();
      if (setup.isDriven) await page.setViewportSize(setup.size);
      page.on("pageerror", ({ message }) => setup.onFault(message));
      page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
      context.on("page", (other) => void other.close().catch(() => undefined));
      return new Stage(running, page, await context.newCDPSession(page), setup.start);
    } catch (failure) {
      running.kill();
      throw new PortError("the browser opened no page", true, failure);
    }
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

  /** One frame of a driven page; a picture only when asked for. */
  async frame(timeMs: number, picture?: Picture): Promise<Painted> {
    const { hasDamage, screenshotData } = await this.#send("HeadlessExperimental.beginFrame", {
      frameTimeTicks: timeMs,
      interval: 16,
      ...(picture !== undefined && { screenshot: { ...picture, optimizeForSpeed: true } }),
    });
    const image = screenshotData === undefined ? undefined : Buffer.from(screenshotData, "base64");
    return { hasDamage, image };
  }

  /** What lies behind the page; without it nothing does. */
  async backdrop(color: { r: number; g: number; b: number; a: number }): Promise<void> {
    await this.#send("Emulation.setDefaultBackgroundColorOverride", { color });
  }

  /** Ends all of its browser's processes at once. */
  kill(): void {
    this.#running.kill();
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

/** Playwright makes no such pages, but takes them as they come. */
async function drivenPage(browser: Browser, context: BrowserContext): Promise<Page> {
  const plain = await context.newPage();
  const { targetInfo } = await (await context.newCDPSession(plain)).send("Target.getTargetInfo");
  const [page] = await Promise.all([
    context.waitForEvent("page"),
    browser.newBrowserCDPSession().then((session) =>
      session.send("Target.createTarget", {
        url: "about:blank",
        ...(targetInfo.browserContextId !== undefined && {
          browserContextId: targetInfo.browserContextId,
        }),
        enableBeginFrameControl: true,
      }),
    ),
  ]);
  await plain.close();
  return page;
}

async function answered(route: Route, { answer, start }: StageSetup): Promise<void> {
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
