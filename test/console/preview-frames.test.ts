/// <reference lib="dom" />
/** Tests pages in frames of a preview: they follow the film's time and cannot harm the viewer. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { startPreview } from "../cli/preview-process.ts";
import type { Pixels } from "../render-farm/png.ts";
import { openPage } from "./console-page.ts";
import { hostileMarkup, openHost } from "./hostile-page.ts";
import { openFilm } from "./shown-film.ts";

const width = 160;
const laneHeight = 20;

/** A page whose square moves 5 pixels per frame. */
const going =
  "<style>body{margin:0;background:#000}@keyframes go{to{left:100px}}i{position:absolute;" +
  "left:0;top:0;width:20px;height:20px;background:#fff;animation:go 2s linear both}</style><i></i>";
const ticking = `<style>body{margin:0;background:#000}i{position:absolute;left:0;top:0;width:20px;
  height:20px;background:#fff}</style><i></i><script>let n = 0; setInterval(() => { n += 1;
  document.querySelector("i").style.left = n + "px"; }, 20);</script>`;
/** A page whose square is at 100 pixels during an animation that is shorter than its opening. */
const short =
  "<style>body{margin:0;background:#000}@keyframes short{from,to{left:100px}}.short{" +
  "position:absolute;left:0;width:20px;height:20px;background:#fff;animation:short .05s}</style>" +
  '<i class="short"></i>';
const outer =
  "<style>body{margin:0}iframe{border:0;width:160px;height:20px}</style>" +
  '<iframe src="parts/frame.html"></iframe>';
const attribute = (page: string) => page.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const lanes = [
  '<iframe src="parts/frame.html"></iframe>',
  `<iframe srcdoc="${attribute(`<!doctype html><html lang="en">${going}`)}"></iframe>`,
  `<iframe srcdoc="${attribute(outer)}"></iframe>`,
  `<script>{ const { parentElement } = document.currentScript; setTimeout(() => {
    const made = document.createElement("iframe"); made.srcdoc = ${JSON.stringify(going)};
    parentElement.append(made); }, 500); }</script>`,
  `<iframe id="shut" sandbox="allow-scripts" srcdoc="${attribute(ticking)}"></iframe>`,
  '<iframe id="drawing" src="drawing.svg"></iframe>',
  short,
  `<iframe srcdoc="${attribute(short)}"></iframe>`,
];

const film = {
  "index.html": `<!doctype html><style>*{margin:0}iframe{border:0;width:160px;height:20px}
    .lane{height:20px}</style><div data-composition-id="main" data-width="160" data-height="160"
    data-fps="10" data-duration="2" data-no-timeline style="position:relative;width:160px;
    height:160px;background:#000">${lanes.map((one) => `<div class="lane">${one}</div>`).join("")}
    </div>`,
  parts: {
    "frame.html": ticking.replace(/<script>.*<.script>/s, '<script src="go.js"></script>'),
    "go.js": ticking.replace(/.*<script>(.*)<.script>/s, "$1"),
  },
  "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

/** Position of the left edge of a lane's square, in the film's pixels. */
function edgeIn(picture: Pixels, lane: number): number {
  const y = (lane + 0.5) / lanes.length;
  const columns = Array.from({ length: picture.width }, (_, x) => (x + 0.5) / picture.width);
  const at = columns.findIndex((x) => picture.at(x, y)[0] > 127);
  return at < 0 ? -1 : Math.round((at * width) / picture.width);
}

t.test("D11: the pages in a preview's frames show the film's time", async (t) => {
  const { show, warnings, page } = await openFilm(t, t.testdir(film));
  const expected: Readonly<Record<number, readonly number[]>> = {
    0: [0, 0, 0, -1, 0, -1, 100, 100],
    3: [15, 15, 15, -1, 0, -1, 0, 0],
    10: [50, 50, 50, 25, 0, -1, 0, 0],
    17: [85, 85, 85, 60, 0, -1, 0, 0],
  };
  for (const [frame, edges] of Object.entries(expected)) {
    const picture = await show(Number(frame));
    t.equal(Math.round((picture.height * width) / picture.width), lanes.length * laneHeight);
    t.strictSame(
      edges.map((_, lane) => edgeIn(picture, lane)),
      edges,
      `frame ${frame}`,
    );
    const [red] = picture.at(0.02, 5.5 / lanes.length);
    t.ok(red > 60, "a notice stands for a page that cannot be led");
  }
  t.strictSame(await warnings(), [
    "iframe#drawing: the preview does not show it at the film's time; the render does",
    "iframe#shut holds a page from another origin, whose time stands still",
  ]);
  const picture = await show(8);
  t.equal(edgeIn(picture, 1), 40, "styles go back too");
  t.ok(page.frames().length > lanes.length);
});

t.test("D11: a hostile page in a frame of a preview reaches nothing around it", async (t) => {
  const { host, reached } = await openHost(t);
  const folder = t.testdir({
    "index.html": `<div data-composition-id="main" data-width="320" data-height="180"
      data-duration="1" data-no-timeline><iframe src="inner.html"></iframe></div>`,
    "inner.html": "",
  });
  const { url = "" } = await startPreview(t, folder);
  await writeFile(
    join(folder, "inner.html"),
    hostileMarkup({ host, api: `${url}timeline`, page: url }),
  );
  const { page } = await openPage(t);
  await page.goto(url);
  await page.locator("iframe[data-ready=true]").waitFor();
  const inner = page.frames().find((one) => one.url().endsWith("inner.html"));
  await inner?.waitForFunction(() => document.title.startsWith("reached:"));
  t.equal(await inner?.title(), "reached:", "each attempt was refused");
  t.strictSame(reached, [], "no host was asked");
  t.equal(page.url(), url, "the page stays");
});
