/** Tests media in a preview: graded as in the render, or replaced by a notice. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import type { Pixels } from "../render-farm/png.ts";
import { openFilm } from "./shown-film.ts";

const run = promisify(execFile);
const gray = ["-v", "error", "-f", "lavfi", "-i", "color=0x808080:s=160x90:r=10:d=1"];

const markup = (clips: string) => `<!doctype html><style>body{margin:0}
.clip{position:absolute;top:0;width:20px;height:20px}</style>
<div data-composition-id="main" data-width="400" data-height="20" data-fps="10" data-duration="1"
  data-no-timeline style="position:relative;width:400px;height:20px;background:#000">${clips}
  </div>`;

const times = (track: number) =>
  `data-start="0" data-duration="1" data-track-index="${track}" style="left:${20 * track}px"`;
const grade = (exposure: number) => `data-color-grading='{"adjust":{"exposure":${exposure}}}'`;
/** Returns the smallest and largest colour value in the middle of a place in the film. */
function rangeIn(picture: Pixels, place: number): readonly [least: number, most: number] {
  const color = picture.at((place + 0.5) / 20, 0.5);
  return [Math.min(...color), Math.max(...color)];
}

t.test("D11: the preview shows grades as the render does, of twenty videos too", async (t) => {
  const folder = t.testdir({});
  await run("ffmpeg", [...gray, "-frames:v", "1", join(folder, "gray.png")]);
  await run("ffmpeg", [...gray, "-pix_fmt", "yuv420p", join(folder, "gray.mp4")]);
  const clips = Array.from({ length: 19 }, (_, at) => {
    const source = `id="v${at}" class="clip" src="gray.mp4" muted`;
    return `<video ${source} ${times(at)} ${grade(at % 2 === 0 ? 1 : -1)}></video>`;
  });
  const image = `<img id="i" class="clip" src="gray.png" ${times(19)} ${grade(1)}>`;
  await writeFile(join(folder, "index.html"), markup([...clips, image].join("")));
  const { show, warnings } = await openFilm(t, folder);
  for (const frame of [0, 5, 9]) {
    const picture = await show(frame);
    // 128 of 255, in linear light doubled or halved: 175.6 and 92.4, whose fractions are cut off.
    t.strictSame(rangeIn(picture, 19), [175, 175], `the image at frame ${frame}`);
    for (const at of clips.keys()) {
      const [least, most] = rangeIn(picture, at);
      const wanted = at % 2 === 0 ? 175 : 92;
      t.ok(least >= wanted - 3 && most <= wanted + 3, `video ${at}: ${least} to ${most}`);
    }
  }
  t.strictSame(await warnings(), []);
});

t.test("D11: a notice stands for HEVC, ProRes and what is no film", async (t) => {
  const folder = t.testdir({ "lost.mp4": "no film at all" });
  const codecs = {
    "hevc.mp4": ["-pix_fmt", "yuv420p", "-c:v", "libx265", "-tag:v", "hvc1", "-x265-params"],
    "prores.mov": ["-c:v", "prores_ks", "-profile:v"],
  };
  const sound = ["-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac"];
  for (const [name, codec] of Object.entries(codecs)) {
    const last = name === "hevc.mp4" ? "log-level=none" : "2";
    await run("ffmpeg", [...gray, ...sound, ...codec, last, join(folder, name)]);
  }
  const names = [...Object.keys(codecs), "lost.mp4"];
  const clips = names.map(
    (name, at) => `<video id="v${at}" class="clip" src="${name}" ${times(at)}></video>`,
  );
  await writeFile(join(folder, "index.html"), markup(clips.join("")));
  const { show, warnings } = await openFilm(t, folder);
  const picture = await show(5);
  for (const [at, name] of names.entries())
    t.ok(rangeIn(picture, at)[0] > 60, `a box stands for ${name}`);
  t.match(
    await warnings(),
    names.map((name) => new RegExp(`^${name} cannot be played by this browser`)),
  );
});

t.test("D11: drawings that move show the film's time in a preview too", async (t) => {
  const writeDrawing = (inner: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="10" viewBox="0 0 400 10">
    <script>document.title = "ran"</script><rect width="400" height="10"/>${inner}</svg>`;
  const own = '<animate attributeName="x" to="200" dur="1s" fill="freeze"/>';
  const style = "@keyframes go{to{transform:translateX(200px)}}.a{animation:go 1s linear}";
  const image = (name: string, top: number) =>
    `<img src="${name}" style="position:absolute;left:0;top:${top}px">`;
  const folder = t.testdir({
    "index.html": markup(image("own.svg", 0) + image("styled.svg", 10)),
    "own.svg": writeDrawing(`<rect width="20" height="10" fill="#fff">${own}</rect>`),
    "styled.svg": writeDrawing(
      `<style>${style}</style><rect class="a" width="20" height="10" fill="#fff"/>`,
    ),
  });
  const { show, warnings } = await openFilm(t, folder);
  for (const frame of [0, 3, 8, 5]) {
    const picture = await show(frame);
    for (const y of [0.25, 0.75]) {
      const columns = Array.from({ length: 400 }, (_, x) => (x + 0.5) / 400);
      const edge = columns.findIndex((x) => picture.at(x, y)[0] > 127);
      t.ok(Math.abs(edge - 20 * frame) <= 1, `frame ${frame}: ${edge}`);
    }
  }
  t.strictSame(await warnings(), []);
});

t.test("D11: a worker of the folder draws in a preview as in a render", async (t) => {
  const draw = `onmessage = ({ data }) => { const pen = data.getContext("2d");
    pen.fillStyle = "#fff"; pen.fillRect(0, 0, 20, 20); };`;
  const folder = t.testdir({
    "index.html": markup(`<canvas width="20" height="20"></canvas><script>
      const canvas = document.querySelector("canvas").transferControlToOffscreen();
      new Worker("draw.js").postMessage(canvas, [canvas]);</script>`),
    "draw.js": draw,
  });
  const { show } = await openFilm(t, folder);
  // The script draws in real time, whatever frame is shown.
  for (let frame = 0; rangeIn(await show(frame), 0)[0] < 250; ) frame = (frame + 1) % 10;
  t.pass("it has drawn");
});
