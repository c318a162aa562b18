import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Route,
} from "playwright-core";
import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { type OwnFolder, OwnFolders } from "../fence/own-folders.ts";

export type { Browser, BrowserContext, CDPSession, Page, Route } from "playwright-core";

/** Path at which playwright keeps its own Chromium, whether or not it is installed. */
export function ownChromium(): string {
  return chromium.executablePath();
}

/**
 * One warm Chromium for a farm node and its pool of idle pages, started with the first picture.
 * The only importer of playwright-core.
 *
 * 1. Pages have no network: each request is answered from `modulesFolder` or refused.
 * 2. Pages run only our own modules; what a client wrote reaches them as an argument.
 * 3. A page that failed or was abandoned is never used again. A browser that does not close such a
 *    page in time hangs and is killed; the next picture starts a new one.
 * 4. What a dead or hanging browser spoils is a `PortError` that may be retried. What a module
 *    throws is a bug and passes through.
 */
export interface ScenePage {
  /** Calls an exported function of a module, `folder/file.js`; arguments and results are JSON. */
  call(module: string, name: string, argument: unknown): Promise<unknown>;
}

const origin = "http://bundle.invalid";
const modulePath = /^\/[a-z0-9-]+\/[a-z0-9-]+\.js$/;

const flags = [
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-extensions",
  "--disable-gpu",
  "--disable-sync",
  "--force-color-profile=srgb",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--no-first-run",
];

export interface Running {
  readonly browser: Browser;
  /** Browser context of the pages that are kept in `profile`. */
  readonly context: BrowserContext;
  /** Folder in which the browser keeps its data. */
  readonly profile: string;
  /** Kills all processes of the browser at once, even hanging ones, which Playwright cannot. */
  readonly kill: () => void;
  /** Kills all processes of the browser and removes its data. */
  readonly close: () => Promise<void>;
}

interface Opened {
  readonly context: BrowserContext;
  readonly page: Page;
}

export interface ChromiumChoice {
  /** Path of Chromium; `undefined` means the one that playwright installed. */
  readonly executablePath: string | undefined;
  /** Whether Chromium's own sandbox is on; with it, Chromium does not start as root. */
  readonly sandbox: boolean;
  /** How and where it starts inside the fence; if undefined, it runs with the farm's rights. */
  readonly fenced?: {
    readonly words: (user: number | undefined) => readonly string[];
    readonly folders: OwnFolders;
  };
}

export class SceneBrowser {
  private readonly chromium: ChromiumChoice;
  private readonly modulesFolder: string;
  private running: Promise<Running> | undefined;
  private idle: Opened[] = [];

  constructor(chromiumChoice: ChromiumChoice, modulesFolder: string) {
    this.chromium = chromiumChoice;
    this.modulesFolder = modulesFolder;
  }

  /** Lends a page to `use`. Aborting the signal rejects at once and discards the page. */
  async withPage<T>(signal: AbortSignal, use: (page: ScenePage) => Promise<T>): Promise<T> {
    const idle = this.idle.pop();
    const opening = idle === undefined ? this.open() : Promise.resolve(idle);
    try {
      const opened = await unlessAborted(opening, signal);
      const result = await unlessAborted(use(scenePage(opened.page)), signal);
      this.giveBack(opened);
      return result;
    } catch (failure) {
      void this.discard(opening);
      throw failure;
    }
  }

  /** Ends the process at once; running calls fail, and the next picture starts another. */
  async close(): Promise<void> {
    const running = this.running;
    if (running === undefined) return;
    this.forget(running);
    await (await running).close();
  }

  private async open(): Promise<Opened> {
    this.running ??= this.launch();
    const { browser } = await this.running;
    try {
      // A separate context gives each page a separate process.
      const context = await browser.newContext({ serviceWorkers: "block" });
      // A request whose page closes meanwhile cannot be answered and needs no answer.
      await context.route("**/*", (route) => this.answer(route).catch(() => undefined));
      const page = await context.newPage();
      await page.goto(origin);
      return { context, page };
    } catch (failure) {
      throw new PortError("the browser opened no page", true, failure);
    }
  }

  private launch(): Promise<Running> {
    const running = launch(this.chromium);
    running.then(
      ({ browser }) => browser.on("disconnected", () => this.forget(running)),
      () => this.forget(running),
    );
    return running;
  }

  private forget(running: Promise<Running>): void {
    if (this.running !== running) return;
    this.running = undefined;
    this.idle = [];
  }

  private giveBack(opened: Opened): void {
    if (this.idle.length < limits.capture.idlePagesMax && !opened.page.isClosed())
      this.idle.push(opened);
    else void closeInTime(opened);
  }

  private async discard(opening: Promise<Opened>): Promise<void> {
    const running = this.running;
    const closed = await Promise.race([
      opening.then(closeInTime, () => true),
      delay(limits.capture.browserCloseMs, false, { ref: false }),
    ]);
    if (!closed && this.running === running) await this.close();
  }

  private async answer(route: Route): Promise<void> {
    const { protocol, host, pathname } = new URL(route.request().url());
    if (`${protocol}//${host}` !== origin) return route.abort();
    if (pathname === "/")
      return route.fulfill({
        contentType: "text/html",
        body: "<!doctype html><title>scene</title>",
      });
    if (!modulePath.test(pathname)) return route.abort();
    const body = await readFile(join(this.modulesFolder, pathname)).catch(() => undefined);
    if (body === undefined) return route.abort();
    return route.fulfill({ contentType: "text/javascript", body });
  }
}

/** Starts a Chromium with its own data folder. Throws `PortError`. */
export async function launch(
  choice: ChromiumChoice,
  more: readonly string[] = [],
): Promise<Running> {
  return startBrowser(choice.executablePath, async () => {
    const { fenced, executablePath = ownChromium(), sandbox } = choice;
    const own = await (fenced?.folders ?? new OwnFolders(false)).lend();
    try {
      const context = await chromium.launchPersistentContext(own.path, {
        executablePath: fenced ? await writeStarter(own, fenced.words(own.user)) : executablePath,
        args: [...flags, ...more],
        chromiumSandbox: sandbox,
        timeout: limits.capture.browserStartMs,
        handleSIGHUP: false,
        handleSIGINT: false,
        handleSIGTERM: false,
        serviceWorkers: "block",
        bypassCSP: true,
        acceptDownloads: false,
        locale: "en-US",
        timezoneId: "UTC",
      });
      const browser = context.browser();
      if (browser === null) throw new PortError("Chromium does not show its pages", false);
      const number = fenced ? startAs(own) : getPid(browser);
      const group = await number.then(findGroup).catch(async (failure) => {
        await browser.close();
        throw failure;
      });
      const kill = (): void => killGroup(group);
      const close = async (): Promise<void> => {
        kill();
        await own.remove();
      };
      return { browser, context, profile: own.path, kill, close };
    } catch (failure) {
      await own.remove();
      throw failure;
    }
  });
}

/** Writes a program that starts Chromium in the fence with its arguments and records its pid. */
async function writeStarter(own: OwnFolder, words: readonly string[]): Promise<string> {
  const path = join(own.farmFolder, "chromium");
  const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
  const home = quote(own.path);
  const text = `#!/bin/sh
echo $$ > ${quote(join(own.farmFolder, pidFile))}
exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 HOME=${home} TMPDIR=${home} \
  ${words.map(quote).join(" ")} "$@"
`;
  await writeFile(path, text, { mode: 0o700 });
  return path;
}

const pidFile = "chromium.pid";

async function startAs(own: OwnFolder): Promise<number> {
  return Number(await readFile(join(own.farmFolder, pidFile), "latin1"));
}

async function getPid(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const own = processInfo.find(({ type }) => type === "browser");
  if (own === undefined) throw new PortError("Chromium did not report its process", false);
  return own.id;
}

async function startBrowser<T>(
  executablePath: string | undefined,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (failure) {
    throw new PortError(startFailure(executablePath, failure), true, failure);
  }
}

/** Finds a browser's process group; Playwright starts each browser in a separate one. */
async function findGroup(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1");
  // The name may contain any characters; state, parent and group follow it.
  const [, , group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return Number(group);
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (failure) {
    // The process group has ended already.
    if (!(failure instanceof Error && "code" in failure && failure.code === "ESRCH")) throw failure;
  }
}

function startFailure(executablePath: string | undefined, failure: unknown): string {
  if (failure instanceof Error && /no usable sandbox/i.test(failure.message))
    return "Chromium's sandbox does not start; allow unprivileged user namespaces on this machine";
  const path = executablePath ?? "playwright's Chromium";
  return `${path} does not start; set KLIEG_CHROMIUM to a Chromium executable`;
}

function scenePage(page: Page): ScenePage {
  return {
    async call(module, name, argument) {
      let crashed = false;
      page.once("crash", () => {
        crashed = true;
      });
      const expression = `import("/${module}").then((m) => m.${name}(${JSON.stringify(argument)}))`;
      try {
        return await page.evaluate(expression);
      } catch (failure) {
        if (crashed || page.isClosed()) throw new PortError("the browser died", true, failure);
        throw failure;
      }
    },
  };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new PortError("the picture was stopped", true));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Resolves to whether the page closed; a browser that is already dead counts as closed. */
async function closeInTime({ context }: Opened): Promise<boolean> {
  const closing = context.close().then(
    () => true,
    () => true,
  );
  return Promise.race([closing, delay(limits.capture.browserCloseMs, false, { ref: false })]);
}
