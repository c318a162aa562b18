/// <reference lib="dom" />
/** Tests `klieg preview` in a browser: it plays the folder and is no danger to the viewer. */
import { execFile } from "node:child_process";
import { cp, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import type { Page } from "../../render-farm/browser/browser.ts";
import { startPreview } from "../cli/preview-process.ts";
import { look, openPage } from "./console-page.ts";
import { hostileMarkup, openHost, readReachedByPage } from "./hostile-page.ts";

const run = promisify(execFile);
const example = join(import.meta.dirname, "..", "..", "..", "examples", "product-film");
const ready = "iframe[data-ready=true]";

t.test("a folder plays, and is followed while it is worked on", async (t) => {
  const folder = t.testdir({});
  await cp(example, folder, { recursive: true });
  const { url = "", child, ended } = await startPreview(t, folder);
  const { page, complaints, asked } = await openPage(t);
  await page.goto(url);
  await page.locator(ready).waitFor();
  await page.getByRole("slider", { name: "Frame" }).fill("60");
  await atFrame(page, 60);
  const first = await readAverage(page);
  t.ok(Math.max(...first) > 40, `it is not black: ${first}`);
  await look(t, page, "folder-preview");

  await t.test("at the same frame, with its lanes and diagnostics", async (t) => {
    const entry = join(folder, "index.html");
    const markup = await readFile(entry, "utf8");
    await change(page, () => writeFile(entry, withCover(markup)));
    await atFrame(page, 60);
    const [red = 0, green = 0, blue = 0] = await readAverage(page);
    t.ok(red > 200 && green < 40 && blue < 40, `the picture is red: ${red} ${green} ${blue}`);
    await page.getByText('asks for the font "Nowhere"').waitFor();
    await page.getByRole("button", { name: "cover", exact: true }).waitFor();
    await change(page, () => writeFile(entry, markup));
    await atFrame(page, 60);
    t.strictSame(await readAverage(page), first, "and as it was when that is undone");
  });

  await t.test("broken, until it is mended", async () => {
    const entry = join(folder, "index.html");
    await rename(entry, `${entry}.away`);
    await page.getByText("The folder has no index.html.").waitFor();
    await change(page, () => rename(`${entry}.away`, entry));
    await atFrame(page, 60);
  });

  await t.test("edited by hand, which is one change", async (t) => {
    const edits = join(folder, "klieg-edits.json");
    const open = () => asked.filter((one) => one.endsWith("/index.html")).length;
    const before = open();
    await change(page, () => page.getByRole("button", { name: "Add text" }).click());
    await atFrame(page, 60);
    await page.frameLocator("iframe.front").getByText("New text").waitFor();
    t.match(JSON.parse(await readFile(edits, "utf8")), { texts: [{ text: "New text" }] });
    t.match(await readdir(folder), { length: 5 }, "nothing else is left in the folder");
    await change(page, () => page.getByRole("button", { name: "Undo" }).click());
    await page.getByText("Edits are stored", { exact: true }).waitFor();
    await t.rejects(readFile(edits), { code: "ENOENT" });
    t.equal(open(), before + 2, "each was shown once");
  });

  await t.test("its media play", async (t) => {
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    t.ok(Number(await page.getByRole("slider", { name: "Frame" }).inputValue()) >= 60);
    t.ok(asked.some((one) => /sea\.mp4\?klieg-played/.test(one)));
  });

  t.strictSame(complaints, [], "no errors in the browser's console");
  const { origin } = new URL(url);
  t.strictSame(
    asked.filter((one) => !/^(blob|data):/.test(one) && !one.startsWith(`${origin}/`)),
    [],
  );
  child.kill("SIGINT");
  t.match(await ended, { code: 0 });
  await page.getByText("klieg preview is not answering").waitFor();
});

t.test("a hostile page reaches no page around it, no edits and no host", async (t) => {
  const { host, reached } = await openHost(t);
  const folder = t.testdir({ "index.html": "" });
  const entry = join(folder, "index.html");
  await writeFile(entry, hostileMarkup({ host, api: `${host}/api`, page: `${host}/page` }));
  const { url = "" } = await startPreview(t, folder);
  // The composition is refused even if it knows the page's own URL.
  await writeFile(entry, hostileMarkup({ host, api: `${url}timeline`, page: url }));
  const { page } = await openPage(t);
  await page.goto(url);
  await page.locator(ready).waitFor();
  t.equal(await readReachedByPage(page), "reached:", "each attempt was refused");
  t.strictSame(reached, [], "no host was asked");
  t.equal(page.url(), url, "the page stays");
});

/** Adds a red cover over the whole film, in a font that does not exist. */
function withCover(markup: string): string {
  const place = 'data-start="0" data-duration="9" data-track-index="9"';
  const cover =
    "<style>#cover { inset: 0; background: #f00; z-index: 99; font-family: Nowhere; }</style>" +
    `<div id="cover" ${place} style="position:absolute"></div>`;
  return markup.replace(/(<[^>]*data-composition-id[^>]*>)/, `$1${cover}`);
}

/** Runs `act`, then waits until a new preview is ready. */
async function change(page: Page, act: () => Promise<unknown>): Promise<void> {
  const [shown] = await page.locator("iframe").all();
  const before = await shown?.getAttribute("src");
  await act();
  await page.locator(`${ready}:not([src="${before}"])`).waitFor();
}

async function atFrame(page: Page, frame: number): Promise<void> {
  await page.getByText(`frame ${frame}`, { exact: false }).first().waitFor();
}

/** Returns the mean red, green and blue of the film on screen. */
async function readAverage(page: Page): Promise<readonly number[]> {
  const picture = await page.locator(".player .screen").screenshot();
  const args = ["-i", "-", "-vf", "scale=1:1:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24"];
  const running = run("ffmpeg", ["-v", "error", ...args, "-"], { encoding: "buffer" });
  running.child.stdin?.end(picture);
  return [...(await running).stdout];
}
