/** How soon is a still of a composition finished after its request, one at a time? */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readOptions } from "../options.ts";
import { layOut, makeMedia } from "../render/film-folder.ts";
import { films } from "../render/films.ts";
import { KliegRenderer } from "../render/klieg-renderer.ts";
import { Latencies } from "../report/latencies.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { findTools } from "../service/tools.ts";

const filmName = "images";
/** Reading memory would take a tenth of a still's time. */
const looks = { everyMs: 1_000, memoryEveryNth: 0 };

export const stills: Scenario = {
  question: "How soon is a still of a composition there, one at a time?",
  excludes: "stills of many compositions at once, and a farm that has just started",
  options: ["--stills N       at moments spread over the film (20)"],
  quick: ["--stills", "8"],
  plan: (args) => {
    const options = readOptions(args, { stills: 20 });
    return (setting) => measure(options.stills, setting);
  },
};

async function measure(count: number, { start, environment, say }: Setting): Promise<Finding> {
  const film = films.find(({ name }) => name === filmName);
  if (film === undefined) throw new Error(`there is no film ${filmName}`);
  const subject = await start({ farmWorkers: 1 });
  const media = await makeMedia(join(subject.folder, "media"), await findTools(environment));
  const source = join(subject.folder, "films", filmName);
  await layOut(filmName, source, media);
  const outputs = join(subject.folder, "made");
  await mkdir(outputs, { recursive: true });
  const klieg = new KliegRenderer(subject, looks);
  const [waits, costs] = [new Latencies(), [] as number[]];
  // The first still starts the farm's browsers and is not counted.
  for (let at = -1; at < count; at++) {
    const still = { at_seconds: (film.seconds * (Math.max(0, at) + 0.5)) / count };
    const output = join(outputs, `still-${at}.png`);
    const cost = await klieg.render(source, { target: "still", still }, output);
    if (at < 0) continue;
    waits.record(cost.wallSeconds * 1_000);
    if (!Number.isNaN(cost.cpuSeconds)) costs.push(cost.cpuSeconds);
    say(`still ${at + 1} of ${count}: ${cost.wallSeconds.toFixed(2)} s`);
  }
  const latency = (percent: number) => ({
    name: `p${percent}`,
    unit: "ms",
    better: "less" as const,
    rounds: [waits.percentile(percent)],
  });
  return {
    isSound: true,
    series: [
      {
        name: "klieg",
        figures: [
          latency(50),
          latency(99),
          ...(costs.length === 0
            ? []
            : [{ name: "CPU", unit: "s a still", better: "less" as const, rounds: costs }]),
        ],
        curves: [waits.curve()],
      },
    ],
    lines: [],
  };
}
