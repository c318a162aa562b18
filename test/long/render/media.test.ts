import t from "tap";
import { composition, isNear, openFilmBench } from "../../render-farm/film-bench.ts";
import {
  black,
  clip,
  colors,
  drawnAnew,
  middle,
  names,
  quarters,
  shows,
  storeStripes,
  stripe,
} from "../../render-farm/striped-video.ts";

const bench = await openFilmBench(t);
const folder = t.testdirName;
const video = await storeStripes(bench);

t.test("offset and rate choose the source's frames", async (t) => {
  const attributes =
    'data-start="0" data-duration="1" data-media-start="0.5" data-playback-rate="0.5"';
  const film = await bench.film({ ...composition(clip(attributes)), "stripes.mp4": video });
  await shows(t, film, [
    [0, 2],
    [14, 2],
    [15, 3],
    [29, 3],
  ]);
});

t.test("a source shorter than its slot holds its last frame, with a warning", async (t) => {
  const film = await bench.film({
    ...composition(clip('data-start="0" data-duration="2"'), 'data-duration="2"'),
    "stripes.mp4": video,
  });
  const [inside] = await film.pixels(59, middle);
  t.ok(isNear(inside, [255, 255, 255], 16), `${inside}`);
  t.match(film.warnings, [/^video#v: its source of 1 s is shorter than its slot/]);
});

t.test(
  "data-media-end ends the source: the picture before it is held, which needs no warning",
  async (t) => {
    const held = clip(
      'data-start="0" data-duration="2" data-media-start="0.25" data-media-end="0.5"',
    );
    for (const more of ["", drawnAnew]) {
      const page = composition(held + more, 'data-duration="2"');
      const film = await bench.film({ ...page, "stripes.mp4": video });
      await shows(t, film, [
        [0, 1],
        [7, 1],
        [8, 1],
        [59, 1],
      ]);
      t.strictSame(film.warnings, []);
    }
    const looped = clip('data-start="0" data-duration="2" data-media-end="0.5" loop');
    const film = await bench.film({
      ...composition(looped, 'data-duration="2"'),
      "stripes.mp4": video,
    });
    await shows(t, film, [
      [7, 0],
      [14, 1],
      [15, 0],
      [29, 1],
      [59, 1],
    ]);
  },
);

t.test("a clip that starts later than its source's length holds the last frame", async (t) => {
  const film = await bench.film({
    ...composition(clip('data-start="0" data-duration="1" data-media-start="5"')),
    "stripes.mp4": video,
  });
  const [inside] = await film.pixels(3, middle);
  t.ok(isNear(inside, [255, 255, 255], 16), `${inside}`);
  t.match(film.warnings, [/shorter than its slot/]);
});

t.test("video that was filmed sideways stands upright", async (t) => {
  const halves = "color=red:s=160x90:d=1,drawbox=x=80:w=80:h=90:c=blue:t=fill";
  const coded = ["-c:v", "libx264", "-pix_fmt", "yuv420p"];
  const plain = ["-f", "lavfi", "-i", halves, ...coded];
  await bench.store("plain.mp4", "video/mp4", plain);
  const turn = ["-i", `${folder}/plain.mp4`, "-c", "copy", "-metadata:s:v:0", "rotate=270"];
  const sideways = await bench.store("sideways.mp4", "video/mp4", turn);
  const tall = clip('data-start="0" data-duration="1"')
    .replace("stripes.mp4", "sideways.mp4")
    .replace("left:80px;top:45px;width:160px", "left:100px;top:10px;height:160px");
  const film = await bench.film({ ...composition(tall), "sideways.mp4": sideways });
  const [top, bottom, beside] = await film.pixels(5, [145, 40], [145, 140], [220, 90]);
  t.ok(isNear(top, [255, 0, 0], 20), `${top}`);
  t.ok(isNear(bottom, [0, 0, 255], 20), `${bottom}`);
  t.ok(isNear(beside, [32, 64, 96]), `${beside}`);
});

t.test("transparent video shows what is behind it", async (t) => {
  const half = "color=lime:s=160x90:d=1,format=rgba,geq=r=0:g=255:b=0:a='if(lt(X,80),255,0)'";
  const clear = await bench.store("clear.webm", "video/webm", [
    ...["-f", "lavfi", "-i", half, "-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p"],
  ]);
  const film = await bench.film({
    ...composition(clip('data-start="0" data-duration="1"').replace("stripes.mp4", "clear.webm")),
    "clear.webm": clear,
  });
  const [left, right] = await film.pixels(5, [100, 90], [220, 90]);
  t.ok(isNear(left, [0, 255, 0], 20), `${left}`);
  t.ok(isNear(right, [32, 64, 96], 12), `${right}`);
});

t.test("video of a varying frame rate keeps its times", async (t) => {
  // Frames of the second half are twice as long.
  const varied = await bench.store("varied.mp4", "video/mp4", [
    ...quarters.flatMap((source) => ["-f", "lavfi", "-i", source]),
    "-filter_complex",
    "[0][1][2][3]concat=n=4,setpts='if(lt(N,12),N,12+(N-12)*2)/24/TB'[v]",
    ...["-map", "[v]", "-vsync", "vfr", "-c:v", "libx264", "-pix_fmt", "yuv420p"],
  ]);
  const film = await bench.film({
    ...composition(clip('data-start="0" data-duration="1.4"'), 'data-duration="1.4"'),
    "stripes.mp4": varied,
  });
  await shows(t, film, [
    [7, 0],
    [8, 1],
    [14, 1],
    [16, 2],
    [29, 2],
    [31, 3],
  ]);
});

t.test("video whose file counts time in its own frames keeps its times", async (t) => {
  const ticked = await bench.store(
    "ticked.mp4",
    "video/mp4",
    stripe("-video_track_timescale", "24"),
  );
  const shown = clip('data-start="0" data-duration="0.3" data-media-start="0.7"');
  const page = composition(shown + drawnAnew, 'data-duration="0.3"');
  const film = await bench.film({ ...page, "stripes.mp4": ticked });
  await shows(t, film, [
    [0, 2],
    [1, 2],
    [2, 3],
    [8, 3],
  ]);
});

t.test("a picture of a recording is shown until the next, however long that is", async (t) => {
  const blue = "drawbox=c=blue:t=fill:enable='gte(t,8)'";
  const held = await bench.store("held.mp4", "video/mp4", [
    ...["-f", "lavfi", "-i", `color=red:s=160x90:r=10:d=10,${blue}`],
    ...["-vf", "select='lt(t,1)+gte(t,8)'", "-vsync", "vfr", "-c:v", "libx264"],
    ...["-pix_fmt", "yuv420p", "-bf", "3"],
  ]);
  const shown = clip('data-start="0" data-duration="10"').replace("stripes.mp4", "held.mp4");
  const page = composition(shown + drawnAnew, 'data-duration="10"');
  const film = await bench.film({ ...page, "held.mp4": held });
  await shows(t, film, [
    [0, 0],
    [60, 0],
    [100, 0],
    [101, 0],
    [167, 0],
    [200, 0],
    [239, 0],
    [240, 2],
    [299, 2],
  ]);
});

t.test("sixteen videos at once each show their frame", async (t) => {
  const root = Array.from({ length: 16 }, (_, at) => {
    const place = `left:${(at % 4) * 80}px;top:${Math.floor(at / 4) * 45}px;width:80px`;
    const offset = (at % 4) * 0.25;
    return `<video id="v${at}" src="stripes.mp4" muted style="position:absolute;${place}"
      data-start="0" data-duration="0.2" data-media-start="${offset}"></video>`;
  });
  const film = await bench.film({
    ...composition(root.join(""), 'data-duration="0.2"'),
    "stripes.mp4": video,
  });
  const places = Array.from(
    { length: 16 },
    (_, at) => [40 + (at % 4) * 80, 22 + Math.floor(at / 4) * 45] as const,
  );
  const found = await film.pixels(2, ...places);
  for (const [at, pixel] of found.entries())
    t.ok(isNear(pixel, colors[at % 4] ?? black, 20), `${at}: ${pixel} is ${names[at % 4]}`);
});

t.test("a missing video fails the render and names clip and file", async (t) => {
  const root = clip('data-start="0" data-duration="1"');
  t.match(
    await bench.fail(composition(root)),
    "media_unavailable: video#v: stripes.mp4 is not there",
  );
  const asset = root.replace('src="stripes.mp4"', 'data-asset-id="as1"');
  t.match(await bench.fail(composition(asset)), "media_unavailable: video#v: the asset as1");
  const film = await bench.film(composition(asset), { assets: { as1: video } });
  const [inside] = await film.pixels(3, middle);
  t.ok(isNear(inside, [255, 0, 0], 16), `${inside}`);
});

t.test("a damaged video fails the render and names the clip", async (t) => {
  const bytes = await bench.readBytes(video.objectKey);
  const table = bytes.subarray(bytes.indexOf("moov") - 4);
  const noise = Buffer.alloc(bytes.length - table.length, 0x55);
  bytes.copy(noise, 0, 0, 48);
  await bench.objects.put("sources/broken.mp4", [noise, table]);
  const broken = { objectKey: "sources/broken.mp4", mimeType: "video/mp4" };
  const files = composition(clip('data-start="0" data-duration="1"'));
  t.match(await bench.fail({ ...files, "stripes.mp4": broken }), /^media_unavailable: video#v: /);
  const text = { objectKey: "sources/text.mp4", mimeType: "video/mp4" };
  await bench.objects.put(text.objectKey, [Buffer.from("no video")]);
  t.match(await bench.fail({ ...files, "stripes.mp4": text }), /^media_unavailable: video#v: /);
});
