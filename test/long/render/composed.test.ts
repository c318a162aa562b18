import t from "tap";
import { composition, isNear, openFilmBench, type Rgb } from "../../render-farm/film-bench.ts";

const bench = await openFilmBench(t, 1);
const [ground, red, lime, blue] = [
  [32, 64, 96],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
] as const;

/** A video that is red for a second, then green for one. */
const video = await bench.store("clip.mp4", "video/mp4", [
  ...["-f", "lavfi", "-i", "color=red:s=160x90:d=1:r=30"],
  ...["-f", "lavfi", "-i", "color=lime:s=160x90:d=1:r=30"],
  ...["-filter_complex", "[0][1]concat=n=2[v]", "-map", "[v]"],
  ...["-c:v", "libx264", "-pix_fmt", "yuv420p"],
]);
const photo = await bench.store("photo.png", "image/png", [
  ...["-f", "lavfi", "-i", "color=blue:s=40x40", "-frames:v", "1"],
]);
const media = { "clip.mp4": video, "photo.png": photo };

const clip = (times: string, style: string, more = ""): string =>
  `<video src="clip.mp4" muted class="clip" ${times} style="${style}" ${more}></video>`;
const image = (times: string, style: string): string =>
  `<img src="photo.png" class="clip" ${times} style="${style}">`;
const whole = "left:0;top:0;width:320px;height:180px";
const seconds = (start: number, duration: number): string =>
  `data-start="${start}" data-duration="${duration}"`;

type Look = readonly [frame: number, x: number, y: number, color: Rgb];

async function looks(root: string, length: number, wanted: readonly Look[]): Promise<string> {
  const made = composition(root, `data-duration="${length}"`);
  const film = await bench.film({ ...made, ...media });
  t.equal(await film.frames(), length * 30);
  for (const [frame, x, y, color] of wanted) {
    const [pixel] = await film.pixels(frame, [x, y]);
    t.ok(isNear(pixel, color, 16), `${frame} at ${x},${y}: ${pixel} is ${color}`);
  }
  return String(film.details["capture"]);
}

t.test(
  "pure-media timelines need no page to paint them, and are shown on [start, end)",
  async (t) => {
    const root =
      clip(seconds(0.5, 1), whole, 'data-media-start="0.5"') +
      image(seconds(1.5, 0.5), "left:20px;top:10px;width:100px;height:100px") +
      clip(seconds(1.5, 2), "left:160px;top:90px;width:80px;height:44px;object-fit:fill");
    const capture = await looks(root, 4, [
      [14, 160, 90, ground],
      [15, 160, 90, red],
      [29, 160, 90, red],
      [30, 160, 90, lime],
      [44, 10, 170, lime],
      [45, 10, 170, ground],
      [45, 70, 60, blue],
      [59, 70, 60, blue],
      [60, 70, 60, ground],
      [45, 200, 110, red],
      [75, 200, 110, lime],
      [104, 200, 110, lime],
      [105, 200, 110, ground],
    ]);
    t.equal(capture, "composed");
  },
);

t.test("every frame of a video is shown in its turn without a page too", async (t) => {
  const stairs = await bench.store("stairs.mp4", "video/mp4", [
    ...["-f", "lavfi", "-i", "color=black:s=160x90:d=4:r=30,geq=lum='20+2*N':cb=128:cr=128"],
    ...["-c:v", "libx264", "-qp", "1", "-pix_fmt", "yuv420p"],
  ]);
  const shown = `<video src="stairs.mp4" muted class="clip" ${seconds(0.3, 3)} style="${whole}"
    data-media-start="0.5"></video>`;
  const made = composition(shown, 'data-duration="4"');
  const film = await bench.film({ ...made, "stairs.mp4": stairs }, { quality: "high" });
  t.match(film.details, { capture: "composed" });
  const look = ["-vf", "crop=2:2:160:90,scale=1:1", "-f", "rawvideo", "-pix_fmt", "gray"];
  const grays = [...(await bench.look(film.key, look))].slice(9, 99);
  const steps = grays.slice(1).map((gray, at) => gray - (grays[at] ?? 0));
  t.equal(grays.length, 90);
  t.ok(
    steps.every((step) => step >= 1 && step <= 4),
    `${steps}`,
  );
});

t.test("pictures are fitted and cut as the page says", async (t) => {
  const root =
    clip(seconds(0, 2), "left:0;top:0;width:160px;height:178px;object-fit:contain") +
    clip(seconds(0, 2), "left:200px;top:-20px;width:80px;height:90px;object-fit:cover");
  const capture = await looks(root, 2, [
    [10, 80, 90, red],
    [10, 80, 30, ground],
    [10, 80, 150, ground],
    [10, 240, 2, red],
    [10, 240, 66, red],
    [10, 240, 74, ground],
    [10, 190, 40, ground],
    [10, 290, 40, ground],
  ]);
  t.equal(capture, "composed");
});

t.test("a source shorter than its slot holds its last frame without a page too", async (t) => {
  const made = composition(clip(seconds(0, 3), whole), 'data-duration="3"');
  const film = await bench.film({ ...made, ...media });
  t.match(film.details, { capture: "composed" });
  t.ok(isNear((await film.pixels(85, [160, 90]))[0], lime, 16));
  t.match(film.warnings, [/its source of 2 s is shorter than its slot; the last frame is held/]);
});

t.test("a looped source begins again without a page too", async (t) => {
  const capture = await looks(clip(seconds(0.5, 5), whole, "loop"), 6, [
    [14, 160, 90, ground],
    [15, 160, 90, red],
    [74, 160, 90, lime],
    [75, 160, 90, red],
    [104, 160, 90, red],
    [105, 160, 90, lime],
    [135, 160, 90, red],
    [164, 160, 90, red],
    [165, 160, 90, ground],
  ]);
  t.equal(capture, "composed");
});

t.test("whatever is more than pictures in boxes is painted by its page", async (t) => {
  const shown = clip(seconds(0, 2), whole);
  for (const more of [
    "<p>a word</p>",
    clip(seconds(0, 2), "left:20px;top:10px;width:80px", 'data-media-start="0.5" loop'),
    image(seconds(0, 2), "left:20px;top:10px;width:100px;height:100px;border-radius:9px"),
    image(seconds(0, 2), "left:21px;top:10px;width:100px;height:100px"),
    image(seconds(0, 2), "left:20px;top:10px;width:100px;height:100px;z-index:-1"),
    image(seconds(0, 2), "left:20px;top:10px;width:100px;height:100px").repeat(16),
    `<style>@keyframes fade{from{opacity:0}}</style>${image(
      seconds(0, 2),
      "left:20px;top:10px;width:100px;height:100px;animation:fade 1s",
    )}`,
  ]) {
    const made = composition(shown + more, 'data-duration="2"');
    const film = await bench.film({ ...made, ...media });
    t.not(film.details["capture"], "composed", more.slice(0, 60));
  }
});
