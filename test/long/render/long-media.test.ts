import t from "tap";
import { composition, isNear, openFilmBench } from "../../render-farm/film-bench.ts";
import { clip, colors, drawnAnew, shows, storeStripes } from "../../render-farm/striped-video.ts";

const bench = await openFilmBench(t);
const video = await storeStripes(bench);

t.test("a looped source begins again, in each segment of the film", async (t) => {
  const loop = clip('data-start="0.5" data-duration="8.5" loop');
  const page = composition(loop + drawnAnew, 'data-duration="9"');
  const film = await bench.film({ ...page, "stripes.mp4": video });
  for (const second of [0.5, 2.5, 4.5, 6.5, 7.5])
    for (const color of colors.keys()) {
      const from = second * 30 + color * 7.5;
      await shows(t, film, [
        [Math.floor(from + 0.5), color],
        [Math.floor(from + 6.5), color],
      ]);
    }
});

t.test("a looped source that is entered later begins there again", async (t) => {
  const loop = clip('data-start="0" data-duration="2" data-media-start="0.5" loop');
  for (const more of ["", drawnAnew]) {
    const page = composition(loop + more, 'data-duration="2"');
    const film = await bench.film({ ...page, "stripes.mp4": video });
    await shows(t, film, [
      [0, 2],
      [7, 2],
      [8, 3],
      [14, 3],
      [15, 2],
      [22, 2],
      [23, 3],
      [30, 2],
      [59, 3],
    ]);
  }
});

t.test("odd sizes of canvas and video are shown whole, padded by one pixel", async (t) => {
  const halves = "color=red:s=333x777:d=1:r=24,drawbox=y=388:w=333:h=389:c=blue:t=fill";
  const look = ["-vf", "format=gbrp,scale=out_color_matrix=bt709", "-colorspace", "bt709"];
  const tall = await bench.store("tall.webm", "video/webm", [
    ...["-f", "lavfi", "-i", halves, ...look, "-c:v", "libvpx-vp9", "-pix_fmt", "yuv444p"],
  ]);
  const root = `<video id="v" src="tall.webm" muted data-start="0" data-duration="1"
    style="position:absolute;left:100px;top:0;height:359px"></video>`;
  for (const [length, quality] of [
    [0.2, "high"],
    [0.2, "standard"],
    [2.1, "standard"],
  ] as const) {
    const files = composition(root, `data-duration="${length}"`, [641, 359]);
    const film = await bench.film({ ...files, "tall.webm": tall }, { quality });
    t.match(film.outcome.outputs, [{ width: 642, height: 360 }]);
    const places = [
      [150, 100],
      [150, 250],
      [98, 100],
      [260, 100],
      [640, 10],
      [300, 358],
    ] as const;
    const [above, below, ...ground] = await film.pixels(3, ...places);
    t.ok(isNear(above, [255, 0, 0], 20) && isNear(below, [0, 0, 255], 20), `${above} ${below}`);
    for (const beside of ground) t.ok(isNear(beside, [32, 64, 96]), `${beside}`);
  }
});
