import { type Files, type FilmBench, openFilmBench } from "./film-bench.ts";
import { readPng } from "./png.ts";

/**
 * Films of two seconds with ten frames each, in which white squares go across lanes of black, so
 * that one film holds many cases: each lane is 20 pixels high and has its own markup.
 */
export interface Lane {
  readonly page: string;
  /** Left edge of the square in each frame; -1 where there is none. */
  readonly edges: readonly number[];
}

export interface FilmedLanes {
  /** The edges by lane, as filmed by one page and by two. */
  readonly films: readonly (readonly (readonly number[])[])[];
  readonly warnings: readonly string[];
  /** Makes the film by one page again; returns where the two differ, none for equal bytes. */
  findDifferences(): Promise<string[]>;
  /** Makes the stills of `stillFrames`; returns the edges by lane. */
  makeStills(): Promise<readonly (readonly number[])[]>;
}

type Folder = Parameters<typeof openFilmBench>[0];

export const stillFrames = [0, 6, 10, 19] as const;
const laneHeight = 20;
const width = 160;
const highQuality = { quality: "high" } as const;
/** Arguments with which ffmpeg decodes a film to a byte a pixel. */
const rawGray = ["-f", "rawvideo", "-pix_fmt", "gray"];

/** The benches with one page and with two. */
export type LaneBenches = readonly [FilmBench, FilmBench];

export async function openLaneBenches(t: Folder): Promise<LaneBenches> {
  return [await openFilmBench(t, 1), await openFilmBench(t, 2)];
}

export async function filmLanes(
  benches: LaneBenches,
  pages: readonly string[],
  files: Files = {},
  attributes = "data-no-timeline",
): Promise<FilmedLanes> {
  const [onePage, twoPages] = benches;
  const height = laneHeight * pages.length;
  const all = { "index.html": composeEntry(pages, attributes), ...files };
  const made = [
    await onePage.film(all, highQuality),
    await twoPages.film(all, highQuality),
  ] as const;
  const raw = [
    await onePage.look(made[0].key, rawGray),
    await twoPages.look(made[1].key, rawGray),
  ] as const;
  return {
    films: raw.map((pixels) => pages.map((_, lane) => edgesIn(pixels, lane, height))),
    warnings: made.flatMap(({ warnings }) => warnings),
    async findDifferences() {
      const again = await onePage.film(all, highQuality);
      const [first, second] = [
        await onePage.readBytes(made[0].key),
        await onePage.readBytes(again.key),
      ];
      if (first.equals(second)) return [];
      const found = compareLanes(raw[0], await onePage.look(again.key, rawGray), pages.length);
      return found.length > 0 ? found : ["bytes of equal frames"];
    },
    async makeStills() {
      const stills: (readonly number[])[] = [];
      for (const frame of stillFrames)
        stills.push(await stillEdges(onePage, all, pages.length, frame));
      return stills;
    },
  };
}

function composeEntry(pages: readonly string[], attributes: string): string {
  const lanes = pages.map(
    (page, at) => `<div class="lane" style="top:${at * laneHeight}px">${page}</div>`,
  );
  return `<!doctype html><html><head><style>
    .lane{position:absolute;left:0;width:${width}px;height:${laneHeight}px;overflow:hidden}
    .b{position:absolute;left:0;top:0;width:20px;height:20px;background:#fff}
    #root{position:relative;background:#000;overflow:hidden}</style></head><body>
    <div id="root" data-composition-id="main" data-width="${width}"
      data-height="${laneHeight * pages.length}" data-start="0" data-duration="2" data-fps="10"
      ${attributes}>${lanes.join("")}
    </div></body></html>`;
}

function compareLanes(one: Buffer, other: Buffer, lanes: number): string[] {
  const laneBytes = width * laneHeight;
  return Array.from({ length: one.length / laneBytes }, (_, at) => at)
    .filter((at) => {
      const bytes = one.subarray(at * laneBytes, (at + 1) * laneBytes);
      return !bytes.equals(other.subarray(at * laneBytes, (at + 1) * laneBytes));
    })
    .map((at) => `frame ${Math.floor(at / lanes)}, lane ${at % lanes}`);
}

function edgesIn(raw: Buffer, lane: number, height: number): readonly number[] {
  const found: number[] = [];
  for (let frame = 0; (frame + 1) * width * height <= raw.length; frame++) {
    const at = (frame * height + (lane + 0.5) * laneHeight) * width;
    found.push(raw.subarray(at, at + width).findIndex(isWhite));
  }
  return found;
}

async function stillEdges(bench: FilmBench, files: Files, lanes: number, frame: number) {
  const shown = await bench.film(files, { target: "still", still: { frame } });
  const png = readPng(await bench.readBytes(shown.key));
  return Array.from({ length: lanes }, (_, lane) =>
    Array.from(
      { length: width },
      (_, x) => png.at((x + 0.5) / width, (lane + 0.5) / lanes)[0],
    ).findIndex(isWhite),
  );
}

function isWhite(value: number): boolean {
  return value > 160;
}
