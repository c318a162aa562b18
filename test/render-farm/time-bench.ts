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
  /** Where a second film by one page differs from the first; none when their bytes are equal. */
  readonly differences: readonly string[];
  /** The edges by lane in the stills of `stillFrames`. */
  readonly stills: readonly (readonly number[])[];
  readonly warnings: readonly string[];
}

type Folder = Parameters<typeof openFilmBench>[0];

export const stillFrames = [0, 6, 10, 19] as const;
const laneHeight = 20;
const width = 160;
const highQuality = { quality: "high" } as const;

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
  const height = laneHeight * pages.length;
  const lanes = pages.map(
    (page, at) => `<div class="lane" style="top:${at * laneHeight}px">${page}</div>`,
  );
  const entry = `<!doctype html><html><head><style>
    .lane{position:absolute;left:0;width:${width}px;height:${laneHeight}px;overflow:hidden}
    .b{position:absolute;left:0;top:0;width:20px;height:20px;background:#fff}
    #root{position:relative;background:#000;overflow:hidden}</style></head><body>
    <div id="root" data-composition-id="main" data-width="${width}" data-height="${height}"
      data-start="0" data-duration="2" data-fps="10" ${attributes}>${lanes.join("")}
    </div></body></html>`;
  const all = { "index.html": entry, ...files };
  const films: (readonly number[])[][] = [];
  const warnings: string[] = [];
  for (const bench of benches) {
    const film = await bench.film(all, highQuality);
    warnings.push(...film.warnings);
    const raw = await bench.look(film.key, ["-f", "rawvideo", "-pix_fmt", "gray"]);
    films.push(pages.map((_, lane) => edgesIn(raw, lane, height)));
  }
  const stills: (readonly number[])[] = [];
  for (const frame of stillFrames)
    stills.push(await stillEdges(benches[0], all, pages.length, frame));
  const differences = await findDifferences(benches[0], all, height);
  return { films, differences, stills, warnings };
}

async function findDifferences(bench: FilmBench, files: Files, height: number): Promise<string[]> {
  const [one, other] = [await bench.film(files, highQuality), await bench.film(files, highQuality)];
  if ((await bench.readBytes(one.key)).equals(await bench.readBytes(other.key))) return [];
  const decode = (key: string) => bench.look(key, ["-f", "rawvideo", "-pix_fmt", "gray"]);
  const [shown, again] = [await decode(one.key), await decode(other.key)];
  const laneBytes = width * laneHeight;
  const lanes = height / laneHeight;
  const found = Array.from({ length: shown.length / laneBytes }, (_, at) => at)
    .filter((at) => {
      const bytes = shown.subarray(at * laneBytes, (at + 1) * laneBytes);
      return !bytes.equals(again.subarray(at * laneBytes, (at + 1) * laneBytes));
    })
    .map((at) => `frame ${Math.floor(at / lanes)}, lane ${at % lanes}`);
  return found.length > 0 ? found : ["bytes of equal frames"];
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
