/// <reference lib="dom" />
/** The preview of a composition matches its render, picture by picture. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import type { Page } from "../../render-farm/browser/browser.ts";
import { type ConsolePage, openConsole } from "../console/console-page.ts";
import { exampleFiles, upload } from "../console/uploaded.ts";
import { firstToken } from "../crash/klieg-process.ts";

const run = promisify(execFile);
const framesCompared = 20;
const similarityMin = 0.98;

t.test("a composition's preview", async (t) => {
  const shown = await openConsole(t);
  const klieg = new Klieg({ url: shown.origin, token: firstToken });
  for (const name of ["title-card", "data-story", "product-film"])
    await t.test(`shows what is rendered: ${name}`, (t) => compare(t, shown, klieg, name));
});

async function compare(t: Test, { page }: ConsolePage, klieg: Klieg, name: string): Promise<void> {
  const made = await upload(klieg, name, await exampleFiles(name));
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

/** Messages of a preview; its page is its own parent here, and its clock is the film's. */
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

  /** Waits for a matching message; throws when the preview has failed. */
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

/** Measures with ffmpeg the SSIM of a film's frames and of as many pictures, one after another. */
async function similarities(film: string, frames: number[], pictures: string): Promise<number[]> {
  const chosen = frames.map((frame) => `eq(n\\,${frame})`).join("+");
  // Both inputs have one frame a second, and are compared by their times.
  const graph = [
    `[0:v]select=${chosen},setpts=N/TB,format=yuv420p[a]`,
    "[1:v]setpts=N/TB,format=yuv420p[b]",
    "[a][b]ssim=stats_file=-",
  ].join(";");
  const args = ["-i", film, "-i", pictures, "-lavfi", graph, "-f", "null", "-"];
  const { stdout } = await run("ffmpeg", ["-hide_banner", "-nostdin", ...args]);
  return [...stdout.matchAll(/All:([\d.]+)/g)].map(([, all]) => Number(all));
}
