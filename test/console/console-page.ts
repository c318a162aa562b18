/// <reference lib="dom" />
/**
 * The console in the system's Chromium, against the real service. What the browser complains of and
 * whom it asks is kept; each view can be audited, and pictures of it are left beside the compiled
 * tests, at a phone's and a desktop's size, light and dark.
 */
import { join } from "node:path";
import axe from "axe-core";
import type { Test } from "tap";
import { launch, type Page } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { type Environment, firstToken, startKlieg } from "../crash/klieg-process.ts";

const flags = [
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];
/** Long enough for a busy machine; a test fails only if an element never appears. */
const patienceMs = 300_000;
export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 800 };

export interface WatchedPage {
  readonly page: Page;
  /** Errors in the browser's console, and uncaught exceptions. */
  readonly complaints: string[];
  /** All URLs that the page requested. */
  readonly asked: string[];
  /** Opens a page with a fresh profile, as another person has. */
  stranger(): Promise<Page>;
}

export interface ConsolePage extends WatchedPage {
  readonly origin: string;
  readonly port: number;
  /** The sign-in link that the start printed. */
  readonly link: string;
}

export async function openConsole(t: Test, more: Environment = {}): Promise<ConsolePage> {
  const [{ port, greeting }, watched] = await Promise.all([
    startKlieg(t, t.testdir(), { KLIEG_FARM_WORKERS: "1", ...more }),
    openPage(t),
  ]);
  const [link = ""] = /http:\S+#sign-in=\S+/.exec(greeting) ?? [];
  return { ...watched, origin: `http://127.0.0.1:${port}`, port, link };
}

export async function openPage(t: Test): Promise<WatchedPage> {
  const executablePath = await findChromium(undefined, process.env["PATH"] ?? "");
  const running = await launch({ executablePath, sandbox: false }, flags);
  t.teardown(() => running.close());
  const context = await running.browser.newContext({ viewport: desktop });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", ({ message }) => complaints.push(message));
  const stranger = async () => {
    const other = await running.browser.newContext();
    other.setDefaultTimeout(patienceMs);
    return other.newPage();
  };
  return { page, complaints, asked, stranger };
}

/** Signs in through the form. */
export async function signIn({ page, origin }: ConsolePage): Promise<void> {
  await page.goto(`${origin}/console`);
  await page.getByLabel("Token").fill(firstToken);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

interface AxeWindow {
  readonly axe: { run(): Promise<{ readonly violations: readonly Violation[] }> };
}

/** Checks for serious accessibility faults in both colour schemes, and takes screenshots. */
export async function look(t: Test, page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found = await page.evaluate(async () => {
      const { axe } = window as Window & typeof globalThis & AxeWindow;
      const { violations } = await axe.run();
      return violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    });
    const said = found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    t.strictSame(said, [], `${name}, ${colorScheme}: nothing serious`);
    for (const [size, viewport] of Object.entries({ desktop, phone })) {
      await page.setViewportSize(viewport);
      const path = join(import.meta.dirname, "pictures", `${name}-${size}-${colorScheme}.png`);
      await page.screenshot({ path });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      t.equal(wide, viewport.width, `${name} at ${size} size: nothing sticks out`);
    }
  }
  await page.setViewportSize(desktop);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: null });
}
