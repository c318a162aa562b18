import t from "tap";
import { composition, type Film, openFilmBench } from "../../render-farm/film-bench.ts";

const bench = await openFilmBench(t);
const [width, height] = [96, 32] as const;

/** Twelve boxes that show the frame's number in binary, sought by a script. */
const counter = (fps: number): string =>
  `${Array.from({ length: 12 }, (_, bit) => {
    const place = `left:${bit * 8}px;top:0;width:8px;height:8px`;
    return `<div id="bit${bit}" style="position:absolute;${place};background:#fff"></div>`;
  }).join("")}<script>
    window.__timelines = { main: { duration: () => 2.5, pause() {}, seek(seconds) {
      const number = Math.round(seconds * ${fps});
      for (let bit = 0; bit < 12; bit++)
        document.getElementById("bit" + bit).style.opacity = (number >> bit) & 1;
    } } };</script>`;
const slot = (start: number, duration: number): string =>
  `<div id="slot" class="clip" data-start="${start}" data-duration="${duration}"
    style="left:0;top:16px;width:96px;height:16px;background:#fff"></div>`;

/** Returns the luma of every frame. */
async function countFrames(film: Film): Promise<readonly Uint8Array[]> {
  const bytes = await bench.look(film.key, ["-f", "rawvideo", "-pix_fmt", "gray"]);
  const size = width * height;
  return Array.from({ length: bytes.length / size }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

function numberIn(frame: Uint8Array): number {
  const bits = Array.from({ length: 12 }, (_, bit) => (frame[4 * width + bit * 8 + 4] ?? 0) > 128);
  return bits.reduce((number, isSet, bit) => number + (isSet ? 1 << bit : 0), 0);
}

function hasSlot(frame: Uint8Array): boolean {
  return (frame[24 * width + 48] ?? 0) > 128;
}

for (const quality of ["fast", "standard", "high"])
  t.test(
    `${quality}: every frame is the one of its time, and the file what players want`,
    async (t) => {
      const tone = await bench.store(`${quality}.wav`, "audio/wav", [
        ...["-f", "lavfi", "-i", "sine=frequency=440:duration=1:sample_rate=48000"],
      ]);
      const sound = '<audio src="tone.wav" data-start="0.5" data-duration="0.75"></audio>';
      const root = counter(30) + slot(0.5, 0.75) + sound;
      const small = composition(root, 'data-duration="2.5"', [width, height]);
      const film = await bench.film({ ...small, "tone.wav": tone }, { quality });
      const frames = await countFrames(film);
      t.strictSame(
        frames.map(numberIn),
        Array.from({ length: 75 }, (_, at) => at),
      );
      const shown = frames.flatMap((frame, at) => (hasSlot(frame) ? [at] : []));
      t.strictSame([shown[0], shown.at(-1), shown.length], [15, 37, 23]);
      const bytes = await bench.look(film.key, ["-ac", "1", "-ar", "8000", "-f", "s16le"]);
      const samples = new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2));
      const loud = [...samples.keys()].filter((at) => Math.abs(samples[at] ?? 0) > 500);
      t.ok(Math.abs((loud[0] ?? 0) / 8_000 - 0.5) < 0.03, `it begins at ${loud[0]}`);
      t.ok(Math.abs((loud.at(-1) ?? 0) / 8_000 - 1.25) < 0.03, `it ends at ${loud.at(-1)}`);
      const codecs = await bench.codecs(film.key);
      for (const line of [
        ...["codec_name=h264", "profile=High", "pix_fmt=yuv420p", "nb_frames=75"],
        ...["color_range=tv", "color_space=bt709", "color_transfer=bt709", "color_primaries=bt709"],
        ...[
          "r_frame_rate=30/1",
          "avg_frame_rate=30/1",
          "start_time=0.000000",
          "field_order=progressive",
        ],
        ...["codec_name=aac", "profile=LC", "sample_rate=48000", "channels=2"],
      ])
        t.ok(codecs.includes(`${line}\n`), line);
      const file = await bench.readBytes(film.key);
      t.ok(file.indexOf("moov") < file.indexOf("mdat"), "the index comes first");
    },
  );

for (const fps of [24, 25, 50, 60, 23.976, 29.97])
  t.test(`[start, end) is exact at ${fps} frames a second`, async (t) => {
    const files = composition(
      counter(fps) + slot(0.3, 0.41),
      `data-duration="1" data-fps="${fps}"`,
      [width, height],
    );
    const film = await bench.film(files, { quality: "fast" });
    const frames = await countFrames(film);
    t.equal(frames.length, Math.ceil(fps - 1e-6));
    t.strictSame(frames.map(numberIn), [...frames.keys()]);
    const shown = frames.flatMap((frame, at) => (hasSlot(frame) ? [at] : []));
    const wanted = [...frames.keys()].filter(
      (at) => at / fps >= 0.3 - 1e-6 && at / fps < 0.71 - 1e-6,
    );
    t.strictSame(shown, wanted);
    const rate = /avg_frame_rate=(\d+)\/(\d+)/.exec(await bench.codecs(film.key));
    t.ok(Math.abs(Number(rate?.[1]) / Number(rate?.[2]) - fps) < 0.001, `${rate?.[0]}`);
  });

t.test("a film of many pages and one of a single page are the same, byte for byte", async (t) => {
  const files = composition(counter(30) + slot(0.5, 0.75), 'data-duration="2.5"', [width, height]);
  const single = await openFilmBench(t, 1);
  const [one, other] = [await bench.film(files), await single.film(files)];
  t.ok((await bench.readBytes(one.key)).equals(await single.readBytes(other.key)));
});

for (const rate of [30, 24, 60])
  t.test(`each frame of a video at ${rate} frames a second is where it belongs`, async (t) => {
    const bits = "geq=lum='if(mod(floor(N/pow(2,floor(X/8))),2),235,16)':cb=128:cr=128";
    const video = await bench.store(`bits-${rate}.mp4`, "video/mp4", [
      ...["-f", "lavfi", "-i", `color=s=96x16:r=${rate}:d=3,${bits}`],
      ...["-c:v", "libx264", "-crf", "10", "-pix_fmt", "yuv420p", "-g", "20"],
    ]);
    const root = `<video id="v" src="v.mp4" muted data-start="0" data-duration="2.5"
      style="position:absolute;left:0;top:0"></video>`;
    const files = composition(root, 'data-duration="2.5"', [width, height]);
    const frames = await countFrames(await bench.film({ ...files, "v.mp4": video }));
    t.strictSame(
      frames.map(numberIn),
      Array.from({ length: 75 }, (_, at) => Math.floor((at * rate) / 30 + 1e-6)),
    );
  });
