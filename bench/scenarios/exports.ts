/** How long does an export of a long timeline take, and how much memory? */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createArchive } from "../../cli/folder-archive.ts";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { exportFormats } from "../../contract/composition.ts";
import { heldMebibytes } from "../machine/memory.ts";
import { readOptions } from "../options.ts";
import { verdict } from "../render/render-table.ts";
import type { Figure, Finding, Series } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { ffmpeg, findTools } from "../service/tools.ts";

interface Options {
  readonly clips: number;
  readonly rounds: number;
}

export const exporting: Scenario = {
  question: "How long does an export of a timeline of many clips take, and how much memory?",
  excludes: "exports with media",
  quick: ["--clips", "500", "--rounds", "3"],
  options: ["--clips N         videos and images, moved and faded (500)", "--rounds N        (7)"],
  plan: (args) => {
    const options = readOptions(args, { clips: 500, rounds: 7 });
    return (setting) => measure(options, setting);
  },
};

/** Targets of the design for an export's time and memory. */
const bars = { seconds: 2, mebibytes: 64 } as const;

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const { environment, say } = setting;
  const subject = await setting.start({ farmWorkers: 1 });
  const folder = join(subject.folder, "timeline");
  await mkdir(folder, { recursive: true });
  const tools = await findTools(environment);
  const picture = ["-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=8,format=yuv420p"];
  await ffmpeg(tools, [...picture, "-f", "lavfi", "-i", "sine=d=8", join(folder, "sea.mp4")]);
  await ffmpeg(tools, [...picture, "-frames:v", "1", join(folder, "logo.png")]);
  await writeFile(join(folder, "index.html"), writePage(options.clips));
  await writeFile(join(folder, "klieg-edits.json"), writeEdits(options.clips));
  const client = new Klieg({ url: subject.origin, token: subject.token, surface: "bench" });
  const { id } = await client.compositions.create({ name: "Long timeline" });
  const names = ["index.html", "klieg-edits.json", "sea.mp4", "logo.png"];
  const files = new Map(names.map((name) => [name, join(folder, name)]));
  await client.compositions.replaceBundle(id, () => createArchive(files));
  const exports: Export[] = [];
  for (const format of exportFormats) {
    const rounds: Round[] = [];
    // The first one starts threads and browsers, and counts for nothing.
    for (let round = 0; round <= options.rounds; round++) {
      const memory = watchMemory(subject.pid);
      const begunMs = performance.now();
      const bytes = await (await client.compositions.export(id, format)).arrayBuffer();
      const seconds = (performance.now() - begunMs) / 1_000;
      const looks = await memory.stop();
      if (round > 0) rounds.push({ seconds, bytes: bytes.byteLength, looks });
      say(`${format} ${round}: ${seconds.toFixed(2)} s`);
    }
    exports.push({ format, rounds });
  }
  await rm(folder, { recursive: true });
  return {
    isSound: exports.every(({ rounds }) => rounds.every(({ bytes }) => bytes > 1_000)),
    series: exports.map(toSeries),
    lines: exports.map((each) => judge(each, options.clips)),
  };
}

interface Round {
  readonly seconds: number;
  readonly bytes: number;
  /** What the service held, in MiB more than before, by seconds; none of another machine's. */
  readonly looks: readonly (readonly [number, number])[];
}

interface Export {
  readonly format: string;
  readonly rounds: readonly Round[];
}

function toSeries({ format, rounds }: Export): Series {
  const looks = rounds[0]?.looks ?? [];
  const seconds = { label: "seconds", scale: "linear" } as const;
  const memory: Figure[] =
    looks.length === 0
      ? []
      : [{ name: "memory", unit: "MiB more", better: "less", rounds: rounds.map(findPeak) }];
  return {
    name: format,
    figures: [
      { name: "time", unit: "s", better: "less", rounds: rounds.map((round) => round.seconds) },
      ...memory,
    ],
    curves: [
      {
        title: "Time by round",
        x: { label: "round", scale: "linear" },
        y: { label: "s", scale: "linear" },
        points: rounds.map((round, at) => [at + 1, round.seconds]),
      },
      {
        title: "More memory over time",
        x: seconds,
        y: { label: "MiB", scale: "linear" },
        points: looks,
      },
    ],
  };
}

function findPeak({ looks }: Round): number {
  return Math.max(0, ...looks.map(([, mebibytes]) => mebibytes));
}

function judge({ format, rounds }: Export, clips: number): string {
  const middle = percentile(
    rounds.map(({ seconds }) => seconds),
    0.5,
  );
  const most = Math.max(...rounds.map(findPeak));
  const isWatched = rounds.some(({ looks }) => looks.length > 0);
  const memory = isWatched ? `${most.toFixed(0)} MiB more memory at most` : "memory not watched";
  const isKept = middle <= bars.seconds && most <= bars.mebibytes;
  return verdict(
    `export ${format}: ${clips} clips in ${middle.toFixed(2)} s (median of ${rounds.length}), ` +
      `${memory}; bars ${bars.seconds} s and ${bars.mebibytes} MiB`,
    isKept,
  );
}

function writePage(clips: number): string {
  const all = Array.from({ length: clips }, (_, at) => {
    const time = `data-start="${at / 2}" data-duration="0.5" data-track-index="${at % 4}"`;
    return at % 2 === 0
      ? `<video id="c${at}" src="sea.mp4" data-media-start="${at % 7}" ${time}></video>`
      : `<img id="c${at}" class="clip" src="logo.png" ${time}>`;
  });
  const root = `data-composition-id="main" data-width="1920" data-height="1080"`;
  const style = "body{background:#000} video,img{position:absolute;left:0;top:0;width:100%}";
  const length = `data-duration="${clips / 2}"`;
  return `<style>${style}</style><div ${root} ${length}>${all.join("\n")}</div>`;
}

function writeEdits(clips: number): string {
  const motion = [
    { t: 0, x: 0, opacity: 0 },
    { t: 0.25, x: 90, opacity: 1, ease: "ease_out" },
    { t: 0.5, rotation: 20 },
  ];
  const edited = Array.from({ length: clips }, (_, at) => [`c${at}`, { motion }] as const);
  return JSON.stringify({ version: 1, clips: Object.fromEntries(edited) });
}

/** How much more a process holds than when it began; no looks at another machine's. */
function watchMemory(pid: number | undefined) {
  let isOver = false;
  const begunMs = performance.now();
  const watching = (async () => {
    const looks: [number, number][] = [];
    if (pid === undefined) return looks;
    const first = await heldMebibytes(pid);
    do {
      const more = (await heldMebibytes(pid)) - first;
      looks.push([(performance.now() - begunMs) / 1_000, Math.max(0, more)]);
      await pause(10);
    } while (!isOver);
    return looks;
  })();
  return {
    stop() {
      isOver = true;
      return watching;
    },
  };
}
