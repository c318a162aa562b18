/**
 * `npm run picture`: makes `docs/klieg.jpg`, the strip of pictures at the top of the README, from a
 * service that it starts: a prompt, its picture, a frame of an example's film, and the console.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownTree, startNode } from "../bench/service/server-process.ts";
import { launch, type Page } from "../render-farm/browser/browser.ts";
import { findChromium } from "../render-farm/browser/chromium-path.ts";

const prompt = "a red kite over dunes";
const earlier = [
  "a lighthouse at dusk",
  "a paper boat in a harbor",
  "a lantern in the snow",
  "a fox in tall grass",
  "a city under two moons",
];
const film = "examples/product-film";
const panel = { width: 480, height: 270 };
const captions = ["a prompt", "its picture", "a film from HTML", "the console"];

const folder = mkdtempSync(join(tmpdir(), "klieg-picture-"));
const service = await startNode(folder, 1, process.env);
const token = readFileSync(join(folder, "admin-token"), "utf8").trim();
const executablePath = await findChromium(undefined, process.env["PATH"] ?? "");
const onlyHere = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";
const { browser, close } = await launch({ executablePath, sandbox: false }, [onlyHere]);
try {
  for (const [at, other] of earlier.entries())
    runCommand("generate", "image", other, "-o", join(folder, `earlier-${at}.png`));
  runCommand("generate", "image", prompt, "--aspect-ratio", "16:9", "-o", join(folder, "kite.png"));
  runCommand("render", join(ownTree, film), "--still", "1.5", "-o", join(folder, "film.png"));
  const context = await browser.newContext({ viewport: { width: 1024, height: 576 } });
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`${service.origin}/console/jobs`);
  await page.getByText(prompt).first().waitFor();
  const shown = await page.screenshot();
  // The console's page allows no styles of others.
  await drawStrip(await context.newPage(), [readMade("kite.png"), readMade("film.png"), shown]);
} finally {
  await close();
  await service.stop();
  rmSync(folder, { recursive: true });
}

function readMade(name: string): Buffer {
  return readFileSync(join(folder, name));
}

function runCommand(...args: readonly string[]): void {
  execFileSync(process.execPath, [join(ownTree, "dist/cli/main.js"), ...args], {
    env: { ...process.env, KLIEG_URL: service.origin, KLIEG_TOKEN: token },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${service.origin}/console`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
}

async function drawStrip(page: Page, pictures: readonly Buffer[]): Promise<void> {
  const images = pictures.map(
    (picture) => `<img src="data:image/png;base64,${picture.toString("base64")}">`,
  );
  const panels = [`<p>klieg generate image "${prompt}"</p>`, ...images];
  const figures = panels.map(
    (content, at) => `<figure>${content}<figcaption>${captions[at]}</figcaption></figure>`,
  );
  await page.setViewportSize({ width: 4 * panel.width + 100, height: panel.height + 70 });
  await page.setContent(`<style>
    body { margin: 0; background: #16161a; color: #d8d8de; font: 22px system-ui, sans-serif;
      display: flex; gap: 20px; padding: 20px }
    figure { margin: 0; width: ${panel.width}px }
    p, img { width: 100%; height: ${panel.height}px; margin: 0; border-radius: 6px;
      object-fit: cover; object-position: left top; background: #212127 }
    p { box-sizing: border-box; padding: 90px 24px 0; font: 22px ui-monospace, monospace }
    figcaption { padding-top: 8px; text-align: center }
  </style>${figures.join("")}`);
  const path = join(ownTree, "docs/klieg.jpg");
  await page.screenshot({ path, type: "jpeg", quality: 82 });
}
