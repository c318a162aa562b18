/// <reference lib="dom" />
/** The preview of a composition: as its render, and no danger to who looks at it. */
import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import type { Page } from "../../render-farm/browser/browser.ts";
import { firstToken } from "../crash/klieg-process.ts";
import { type ConsolePage, openConsole, signIn } from "./console-page.ts";
import { hostileMarkup, openHost, reachedByPage } from "./hostile-page.ts";

const run = promisify(execFile);
const examples = join(import.meta.dirname, "..", "..", "..", "examples");
const framesCompared = 20;
const similarityMin = 0.98;

t.test("a composition's preview", async (t) => {
  const shown = await openConsole(t);
  const klieg = new Klieg({ url: shown.origin, token: firstToken });
  for (const name of ["title-card", "data-story", "product-film"])
    await t.test(`shows what is rendered: ${name}`, (t) => compare(t, shown, klieg, name));
  await t.test("a hostile page reaches no token, API, parent or host", (t) =>
    beHostile(t, shown, klieg),
  );
  await t.test("is played and sought in the console", (t) => play(t, shown, klieg));
});

async function upload(klieg: Klieg, name: string, files: Readonly<Record<string, Uint8Array>>) {
  const { id } = await klieg.compositions.create({ name });
  for (const [path, bytes] of Object.entries(files))
    await klieg.compositions.putFile(id, path, new Blob([Buffer.from(bytes)]));
  return klieg.compositions.get(id);
}

async function filesOf(folder: string): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  for (const name of await readdir(folder)) files[name] = await readFile(join(folder, name));
  return files;
}

async function compare(t: Test, { page }: ConsolePage, klieg: Klieg, name: string): Promise<void> {
  const made = await upload(klieg, name, await filesOf(join(examples, name)));
  const render = await klieg.compositions.render(made.id, { target: "video", quality: "high" });
  const { width, height } = made;
  const own = await page.context().newPage();
  const size = { width: width ?? 0, height: height ?? 0 };
  await own.setViewportSize(size);
  const told = await Told.by(own);
  const { url } = await klieg.compositions.preview(made.id);
  await own.goto(url);
  const { frames } = await told.find(({ kind }) => kind === "ready");
  const ended = await klieg.renders.wait(render.id);
  t.equal(ended.status, "succeeded");
  const asset = await klieg.assets.get(ended.asset_id ?? "");
  const folder = t.testdir({});
  const film = join(folder, "film.mp4");
  const answer = await fetch(asset.signed_url);
  await writeFile(film, Buffer.from(await answer.arrayBuffer()));
  const sought = Array.from({ length: framesCompared }, (_, index) =>
    Math.floor(((index + 0.5) * frames) / framesCompared),
  );
  for (const [index, frame] of sought.entries()) {
    await own.evaluate((wanted) => window.postMessage({ kind: "seek", frame: wanted }, "*"), frame);
    await told.find((news) => news.kind === "at" && news.frame === frame);
    await own.screenshot({ path: join(folder, `${index}.png`) });
  }
  const likeness = await similarities(film, sought, join(folder, "%d.png"));
  const least = Math.min(...likeness);
  t.equal(likeness.length, framesCompared);
  t.ok(least >= similarityMin, `${name}: ${likeness.map((one) => one.toFixed(4)).join(" ")}`);
  await own.close();
}

interface News {
  readonly kind: string;
  readonly frame: number;
  readonly frames: number;
  readonly message: string;
}

/** What a preview tells; its page is its own parent here, and its clock is the film's. */
class Told {
  private readonly news: News[] = [];
  private wake = () => {};

  static async by(page: Page): Promise<Told> {
    const told = new Told();
    await page.exposeFunction("tellTest", (one: News) => {
      told.news.push(one);
      told.wake();
    });
    await page.addInitScript(() =>
      addEventListener("message", ({ data }) => {
        const { tellTest } = window as Window & { readonly tellTest?: (data: unknown) => void };
        tellTest?.(data);
      }),
    );
    return told;
  }

  /** Waits for it; throws when the preview has failed. */
  async find(isWanted: (news: News) => boolean): Promise<News> {
    for (;;) {
      const failure = this.news.find(({ kind }) => kind === "failed");
      if (failure !== undefined) throw new Error(failure.message);
      const found = this.news.find(isWanted);
      this.news.length = 0;
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

/** SSIM of a film's frames, one after another, and of as many pictures, as ffmpeg measures it. */
async function similarities(film: string, frames: number[], pictures: string): Promise<number[]> {
  const chosen = frames.map((frame) => `eq(n\\,${frame})`).join("+");
  // Both sides have a frame a second: they are compared by their times.
  const graph = [
    `[0:v]select=${chosen},setpts=N/TB,format=yuv420p[a]`,
    "[1:v]setpts=N/TB,format=yuv420p[b]",
    "[a][b]ssim=stats_file=-",
  ].join(";");
  const args = ["-i", film, "-i", pictures, "-lavfi", graph, "-f", "null", "-"];
  const { stdout } = await run("ffmpeg", ["-hide_banner", "-nostdin", ...args]);
  return [...stdout.matchAll(/All:([\d.]+)/g)].map(([, all]) => Number(all));
}

async function beHostile(t: Test, shown: ConsolePage, klieg: Klieg): Promise<void> {
  const { host, reached } = await openHost(t);
  const { origin } = shown;
  const markup = hostileMarkup({ host, api: `${origin}/v1/models`, page: `${origin}/console` });
  const { id } = await upload(klieg, "hostile", { "index.html": Buffer.from(markup) });
  const { page } = shown;
  await signIn(shown);
  await page.goto(`${shown.origin}/console/compositions/${id}`);
  await page.locator("iframe[data-ready=true]").waitFor();
  t.equal(await reachedByPage(page), "reached:", "each attempt was refused");
  t.strictSame(reached, [], "no host was asked");
  t.equal(page.url(), `${shown.origin}/console/compositions/${id}`, "the console stays");
  const { url } = await klieg.compositions.preview(id);
  const answer = await fetch(url);
  t.match(answer.headers.get("content-security-policy"), /^sandbox allow-scripts;/);
  t.equal(answer.headers.get("access-control-allow-origin"), "*");
  t.equal((await fetch(url.replace(/.\/index/, "x/index"))).status, 403, "a ticket is signed");
  await klieg.compositions.putFile(id, "more.txt", new Blob(["more"]));
  t.equal((await fetch(url)).status, 404, "and shows that revision only");
  shown.complaints.length = 0;
}

async function play(t: Test, shown: ConsolePage, klieg: Klieg): Promise<void> {
  const { id } = await upload(klieg, "played", await filesOf(join(examples, "product-film")));
  const { page } = shown;
  await page.goto(`${shown.origin}/console/compositions/${id}`);
  await page.locator("iframe[data-ready=true]").waitFor();
  const [frame, room] = await Promise.all(
    ["iframe[title=Preview]", ".player .screen"].map((name) => page.locator(name).boundingBox()),
  );
  t.match(frame, { width: room?.width, height: room?.height }, "the film fills its room");
  const scrubber = page.getByRole("slider", { name: "Frame" });
  await scrubber.fill("30");
  await page.getByText("frame 30", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const at = Number(await scrubber.inputValue());
  t.ok(at >= 30, `it went on from where it was, to frame ${at}`);
  t.strictSame(shown.complaints, [], "no errors in the browser's console");
}
