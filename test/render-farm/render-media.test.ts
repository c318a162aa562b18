/** Basic tests of a film's videos; `test/long/render/` has the rest. */
import t from "tap";
import { composition, isNear, openFilmBench } from "./film-bench.ts";
import { black, clip, colors, middle, names, storeStripes } from "./striped-video.ts";

const bench = await openFilmBench(t);
const video = await storeStripes(bench);

t.test("a video shows the frame that belongs to each time, and only in its place", async (t) => {
  const film = await bench.film({
    ...composition(clip('data-start="0.5" data-duration="1"'), 'data-duration="2"'),
    "stripes.mp4": video,
  });
  t.equal(await film.frames(), 60);
  for (const [frame, color] of [
    [15, 0],
    [22, 0],
    [23, 1],
    [29, 1],
    [30, 2],
    [37, 2],
    [38, 3],
    [44, 3],
  ] as const) {
    const [inside, outside] = await film.pixels(frame, middle, [20, 20]);
    t.ok(isNear(inside, colors[color] ?? black, 16), `${frame}: ${inside} is ${names[color]}`);
    t.ok(isNear(outside, [32, 64, 96]), `${outside}`);
  }
  for (const frame of [14, 45]) {
    const [inside] = await film.pixels(frame, middle);
    t.ok(isNear(inside, [32, 64, 96]), `${frame}: ${inside} is the ground`);
  }
});
