import t from "tap";
import { type BlockPage, blockPage } from "../../../timeline/blocks/block-page.ts";
import { type Block, placeBlocks } from "../../../timeline/blocks/block-timing.ts";
import { type Film, isNear, openFilmBench, type Rgb } from "../../render-farm/film-bench.ts";

const bench = await openFilmBench(t, 1);
const [black, red, lime, blue] = [
  [0, 0, 0],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
] as const;

/** A video that is red for a second, then green for one. */
const sea = await bench.store("sea.mp4", "video/mp4", [
  ...["-f", "lavfi", "-i", "color=red:s=160x90:d=1:r=30"],
  ...["-f", "lavfi", "-i", "color=lime:s=160x90:d=1:r=30"],
  ...["-filter_complex", "[0][1]concat=n=2[v]", "-map", "[v]"],
  ...["-c:v", "libx264", "-pix_fmt", "yuv420p"],
]);
const kite = await bench.store("kite.png", "image/png", [
  ...["-f", "lavfi", "-i", "color=blue:s=40x90", "-frames:v", "1"],
]);
const voice = await bench.store("voice.wav", "audio/wav", [
  ...["-f", "lavfi", "-i", "sine=frequency=1000:duration=2.76"],
]);
const assets = { sea, kite, voice };
const page = {
  width: 320,
  height: 180,
  fps: 30,
  fit: "contain",
  background: "#000000",
} satisfies BlockPage;
const clip = { kind: "video", assetId: "sea", width: 160, height: 90, volume: 1 } as const;
const image = { kind: "image", assetId: "kite", width: 40, height: 90 } as const;

async function readFilm(blocks: readonly Block[], more: Partial<BlockPage> = {}): Promise<Film> {
  const markup = blockPage(placeBlocks(blocks), { ...page, ...more });
  return bench.film({ "index.html": markup }, { assets, quality: "high" });
}

type Look = readonly [frame: number, x: number, y: number, color: Rgb];

async function looksAre(t: Tap, film: Film, wanted: readonly Look[]): Promise<void> {
  for (const [frame, x, y, color] of wanted) {
    const [pixel] = await film.pixels(frame, [x, y]);
    t.ok(isNear(pixel, color, 16), `${frame} at ${x},${y}: ${pixel} is ${color}`);
  }
}

type Tap = Pick<typeof t, "ok">;

t.test("blocks are shown one after the other, with what they hold and their gaps", async (t) => {
  const film = await readFilm([
    { clip: { ...clip, start: 0.5, left: 1.5, seconds: 1 }, gap: 0.5 },
    { clip: { ...image, seconds: 0.5 }, gap: 0 },
    {
      clip: { ...clip, start: 0, left: 2, seconds: 1 },
      narration: { assetId: "voice", seconds: 2.76 },
      gap: 0.5,
    },
  ]);
  t.equal(await film.frames(), 147);
  t.match(film.details, { capture: "composed" });
  await looksAre(t, film, [
    [0, 10, 10, red],
    [14, 10, 10, red],
    [15, 10, 10, lime],
    [29, 10, 10, lime],
    [30, 10, 10, black],
    [44, 160, 90, black],
    [45, 160, 90, blue],
    [45, 10, 90, black],
    [59, 160, 90, blue],
    [60, 160, 90, red],
    [89, 160, 90, red],
    [90, 160, 90, red],
    [131, 160, 90, red],
    [132, 160, 90, black],
  ]);
  t.strictSame(film.warnings, []);
});

t.test("a narration is sped up without a change of its pitch", async (t) => {
  const film = await readFilm([
    {
      clip: { ...image, seconds: 2.4 },
      narration: { assetId: "voice", seconds: 2.76 },
      gap: 1,
    },
  ]);
  const mono = ["-ac", "1", "-ar", "8000", "-f", "s16le"];
  const samples = new Int16Array(new Uint8Array(await bench.look(film.key, mono)).buffer);
  const crossings = (from: number, to: number): number => {
    let found = 0;
    for (let at = from * 8_000 + 1; at < to * 8_000; at++)
      if ((samples[at - 1] ?? 0) < 0 !== (samples[at] ?? 0) < 0) found += 1;
    return found;
  };
  const hertz = crossings(0.5, 2) / 2 / 1.5;
  t.ok(Math.abs(hertz - 1_000) < 20, `${hertz} Hz`);
  const rest = samples.slice(2.5 * 8_000, 3.3 * 8_000);
  t.ok(
    rest.every((sample) => Math.abs(sample) < 100),
    "the gap is silent",
  );
});

t.test("more blocks than can be open at once need no page to paint them either", async (t) => {
  const blocks = Array.from({ length: 20 }, (_, at): Block => {
    const shown = at % 2 === 0 ? { ...clip, start: 0, left: 2, seconds: 0.1 } : undefined;
    return { clip: shown ?? { ...image, seconds: 0.1 }, gap: 0 };
  });
  const film = await readFilm(blocks);
  t.match(film.details, { capture: "composed" });
  t.equal(await film.frames(), 60);
  const wanted = blocks.flatMap((_, at): Look[] => {
    const color = at % 2 === 0 ? red : blue;
    return [
      [at * 3, 160, 90, color],
      [at * 3 + 2, 160, 90, color],
    ];
  });
  await looksAre(t, film, wanted);
});

t.test(
  "a background is behind clips that do not fill the canvas, and gaps are black",
  async (t) => {
    const film = await readFilm(
      [
        { clip: { ...image, seconds: 0.5 }, gap: 0.5 },
        { clip: { ...image, seconds: 0.5 }, gap: 0 },
      ],
      { background: "#00ff00" },
    );
    await looksAre(t, film, [
      [7, 10, 90, lime],
      [7, 160, 90, blue],
      [20, 10, 90, black],
      [20, 160, 90, black],
      [37, 10, 90, lime],
    ]);
  },
);
