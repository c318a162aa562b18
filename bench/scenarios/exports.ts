/** How long does an export of a long timeline take, and how much memory? */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createArchive } from "../../cli/folder-archive.ts";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { exportFormats } from "../../contract/composition.ts";
import { residentMebibytes } from "../machine/memory.ts";
import type { Finding } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import { readCount, type Scenario, type Setting } from "../scenario.ts";
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
    const { values } = parseArgs({
      args: [...args],
      options: {
        clips: { type: "string", default: "500" },
        rounds: { type: "string", default: "7" },
      },
    });
    const options = {
      clips: readCount("clips", values.clips),
      rounds: readCount("rounds", values.rounds),
    };
    return (setting) => measure(options, setting);
  },
};

/** Targets of the design for an export's time and memory. */
const bars = { seconds: 2, mebibytes: 64 } as const;

async function measure({ clips, rounds }: Options, setting: Setting): Promise<Finding> {
  const { environment, say } = setting;
  const subject = await setting.start({ farmWorkers: 1 });
  const folder = join(subject.folder, "timeline");
  await mkdir(folder, { recursive: true });
  const tools = await findTools(environment);
  const picture = ["-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=8,format=yuv420p"];
  await ffmpeg(tools, [...picture, "-f", "lavfi", "-i", "sine=d=8", join(folder, "sea.mp4")]);
  await ffmpeg(tools, [...picture, "-frames:v", "1", join(folder, "logo.png")]);
  await writeFile(join(folder, "index.html"), writePage(clips));
  await writeFile(join(folder, "klieg-edits.json"), writeEdits(clips));
  const client = new Klieg({ url: subject.origin, token: subject.token, surface: "bench" });
  const { id } = await client.compositions.create({ name: "Long timeline" });
  const names = ["index.html", "klieg-edits.json", "sea.mp4", "logo.png"];
  const files = new Map(names.map((name) => [name, join(folder, name)]));
  await client.compositions.replaceBundle(id, () => createArchive(files));
  const lines: string[] = [];
  let isSound = true;
  for (const format of exportFormats) {
    const seconds: number[] = [];
    const sizes = new Set<number>();
    const grown: number[] = [];
    // The first export only starts threads and browsers.
    for (let round = 0; round <= rounds; round++) {
      const memory = watchMemory(subject.pid);
      const begunMs = performance.now();
      const bytes = await (await client.compositions.export(id, format)).arrayBuffer();
      const tookMs = performance.now() - begunMs;
      grown.push(await memory.stop());
      sizes.add(bytes.byteLength);
      if (round > 0) seconds.push(tookMs / 1_000);
      say(`${format} ${round}: ${(tookMs / 1_000).toFixed(2)} s`);
    }
    const middle = percentile(seconds, 0.5);
    const most = Math.max(...grown.slice(1));
    isSound &&= sizes.size > 0 && Math.min(...sizes) > 1_000;
    const isKept = middle <= bars.seconds && (Number.isNaN(most) || most <= bars.mebibytes);
    lines.push(
      `export ${format}: ${clips} clips in ${middle.toFixed(2)} s (median of ${rounds}), ` +
        `${most.toFixed(0)} MiB more memory at most; ` +
        `bars ${bars.seconds} s and ${bars.mebibytes} MiB: ${isKept ? "kept" : "NOT KEPT"}`,
    );
  }
  await rm(folder, { recursive: true });
  return { lines, isSound };
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

/** Measures by how much a process's memory grew at most; NaN on another machine. */
function watchMemory(pid: number | undefined) {
  let isOver = false;
  const watching = (async () => {
    const first = await residentMebibytes(pid);
    let most = first;
    while (!isOver) {
      most = Math.max(most, await residentMebibytes(pid));
      await pause(10);
    }
    return most - first;
  })();
  return {
    stop(): Promise<number> {
      isOver = true;
      return watching;
    },
  };
}
