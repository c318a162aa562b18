/** How fast are films of compositions rendered, beside HyperFrames, Remotion and bare ffmpeg? */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Cost, Looks } from "../machine/cost.ts";
import { chooseNames, readOptions } from "../options.ts";
import { openBareFfmpeg } from "../render/bare-ffmpeg.ts";
import { fidelity, leastSimilarity, sameBytes } from "../render/fidelity.ts";
import { layOut, makeMedia } from "../render/film-folder.ts";
import { joinSeries, toSeries } from "../render/film-series.ts";
import { type Film, films, type PeerName, type RendererName } from "../render/films.ts";
import { openHyperframes } from "../render/hyperframes.ts";
import { KliegRenderer } from "../render/klieg-renderer.ts";
import { openRemotion } from "../render/remotion.ts";
import { filmTable, type Outcome, type Outcomes, verdict } from "../render/render-table.ts";
import type { OpenPeer, PeerSetting, Renderer } from "../render/renderers.ts";
import type { Finding, Series } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { findTools, type Tools } from "../service/tools.ts";
import { compareNodes, nodesFilm } from "./nodes.ts";

const peers: Readonly<Record<PeerName, OpenPeer>> = {
  hyperframes: openHyperframes,
  remotion: openRemotion,
  ffmpeg: openBareFfmpeg,
};

const peerNames = Object.keys(peers) as PeerName[];

interface Options {
  readonly rounds: number;
  readonly films: readonly Film[];
  readonly peers: readonly PeerName[];
}

export const render: Scenario = {
  question: "How fast are films and stills of compositions made, beside others that make them?",
  excludes: "films with models' pictures; machines with a GPU",
  quick: ["--only", "short", "--rounds", "1"],
  options: [
    "--rounds N       of every renderer (3)",
    `--only FILMS     of ${films.map(({ name }) => name).join(", ")} (all but short and long)`,
    `--peers NAMES    with commas between (${peerNames.join(",")})`,
  ],
  plan: (args) => {
    const options = readFilmOptions(args);
    return (setting) => measure(options, setting);
  },
};

function readFilmOptions(args: readonly string[]): Options {
  const { rounds, ...names } = readOptions(args, { rounds: 3, only: undefined, peers: undefined });
  const usual = films.filter(({ isLeftOut }) => isLeftOut !== true);
  const filmNames = chooseNames(
    names.only,
    films.map(({ name }) => name),
  );
  return {
    rounds,
    films: names.only === undefined ? usual : films.filter(({ name }) => filmNames.includes(name)),
    peers: chooseNames(names.peers, peerNames),
  };
}

/** Everything that the rounds of one film need. */
interface FilmComparison {
  readonly film: Film;
  readonly rounds: number;
  /** Folder with the film's own files. */
  readonly source: string;
  /** Folder for rendered films. */
  readonly outputs: string;
  readonly renderers: ReadonlyMap<RendererName, Renderer | string>;
  readonly say: Setting["say"];
}

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const { dataDir, environment, say } = setting;
  const subject = await setting.start({ farmWorkers: 1 });
  const tools = await findTools(environment);
  say("making photo, clip and tone");
  const media = await makeMedia(join(subject.folder, "media"), tools);
  const klieg = new KliegRenderer(subject);
  const peerSetting = { tools, dataDir, media, environment, say };
  const renderers = await openAll(options.peers, klieg, peerSetting);
  const lines: string[] = [];
  const series: Series[] = [];
  let isSound = true;
  for (const film of options.films) {
    const source = join(subject.folder, "films", film.name);
    const outputs = join(subject.folder, "made", film.name);
    await layOut(film.name, source, media);
    await mkdir(outputs, { recursive: true });
    const comparison = { film, rounds: options.rounds, source, outputs, renderers, say };
    // The first still starts the farm and is not counted.
    await klieg.render(source, { target: "still" }, join(outputs, "warm.png"));
    const outcomes = await renderByTurns(comparison);
    isSound &&= [...outcomes].every(([name, { kind }]) => !isKlieg(name) || kind === "rendered");
    lines.push(...filmTable(film, options.rounds, outcomes));
    series.push(...toSeries(film, outcomes));
    const more = await looks(comparison, outcomes, klieg, tools).catch((fault: unknown) => {
      isSound = false;
      return [verdict(getReason(fault), false)];
    });
    lines.push(...more, "");
  }
  if (options.films.some(({ name }) => name === nodesFilm)) {
    // Where processors cannot be assigned to nodes, the other figures are still reported.
    const compared = compareNodes(options.rounds, subject.folder, setting).catch(
      (fault: unknown) => ({
        lines: [verdict(`nodes: ${getReason(fault)}`, false)],
      }),
    );
    lines.push(...(await compared).lines);
  }
  return { lines, isSound, series: joinSeries(series) };
}

/** Opens the renderers. A peer that is not available is reported and does not end the bench. */
async function openAll(
  names: readonly PeerName[],
  klieg: KliegRenderer,
  setting: PeerSetting,
): Promise<FilmComparison["renderers"]> {
  const renderers = new Map<RendererName, Renderer | string>();
  for (const quality of ["standard", "fast"] as const)
    renderers.set(`klieg ${quality}`, klieg.of(quality));
  for (const name of names)
    try {
      for (const renderer of await peers[name](setting)) renderers.set(renderer.name, renderer);
    } catch (fault) {
      const all = films.flatMap((film) => film.renderers);
      for (const renderer of all.filter((one) => one.startsWith(name)))
        renderers.set(renderer, getReason(fault));
    }
  return renderers;
}

function isKlieg(name: RendererName): boolean {
  return name.startsWith("klieg");
}

/** Renders by turns, so that a drifting machine affects all contestants alike. */
async function renderByTurns({ film, rounds, source, outputs, renderers, say }: FilmComparison) {
  const outcomes = new Map<RendererName, Outcome>();
  const costs = new Map<RendererName, Cost[]>();
  for (let round = 1; round <= rounds; round++)
    for (const name of film.renderers) {
      const renderer = renderers.get(name);
      if (renderer === undefined) outcomes.set(name, { kind: "absent" });
      else if (typeof renderer === "string") outcomes.set(name, { kind: "failed", why: renderer });
      if (renderer === undefined || typeof renderer === "string") continue;
      if (outcomes.get(name)?.kind === "failed") continue;
      try {
        const path = getOutput(outputs, name, round);
        const own = [...(costs.get(name) ?? []), await renderer.render(film, source, path)];
        costs.set(name, own);
        outcomes.set(name, { kind: "rendered", costs: own });
        const seconds = own.at(-1)?.wallSeconds.toFixed(1);
        say(`${film.name}, round ${round} of ${rounds}: ${name} ${seconds} s`);
      } catch (fault) {
        outcomes.set(name, { kind: "failed", why: getReason(fault) });
        say(`${film.name}, round ${round} of ${rounds}: ${name} failed: ${getReason(fault)}`);
      }
    }
  return outcomes;
}

function getOutput(outputs: string, name: RendererName, round: number): string {
  return join(outputs, `${name.replace(" ", "-")}-${round}.mp4`);
}

function getReason(fault: unknown): string {
  return fault instanceof Error ? `failed: ${fault.message}` : "failed";
}

const stillsWanted = 5;
const stillSecondsMax = 0.5;
/** Reading memory would take a tenth of a still's time. */
const seldom: Looks = { everyMs: 1_000, memoryEveryNth: 0 };
const ssimSlack = 0.001;
const similarityMin = 30;

/** Takes those measures that are not about time. */
async function looks(
  { film, rounds, source, outputs }: FilmComparison,
  outcomes: Outcomes,
  klieg: KliegRenderer,
  tools: Tools,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const isMade = (name: RendererName) => outcomes.get(name)?.kind === "rendered";
  if (!isMade("klieg standard") || film.isFlat === true) return lines;
  const own = getOutput(outputs, "klieg standard", 1);
  if (isMade("hyperframes standard")) {
    const other = getOutput(outputs, "hyperframes standard", 1);
    const least = await leastSimilarity(tools, film, own, other);
    const said = `frames beside hyperframes: ${least.toFixed(1)} dB at least; bar ${similarityMin}`;
    lines.push(verdict(said, least >= similarityMin));
  }
  if (rounds > 1) {
    const all = Array.from({ length: rounds }, (_, at) =>
      getOutput(outputs, "klieg standard", at + 1),
    );
    lines.push(verdict("all rounds of klieg standard are the same bytes", await sameBytes(all)));
  }
  const high = join(outputs, "klieg-high.mp4");
  await klieg.render(source, { quality: "high" }, high);
  const { standard, medium } = await fidelity(tools, outputs, own, high);
  const both = `${standard.toFixed(4)}, of x264 medium 18 ${medium.toFixed(4)}`;
  const isClose = standard >= medium - ssimSlack;
  lines.push(verdict(`SSIM-Y of standard ${both}; bar ${ssimSlack} less`, isClose));
  const waits: number[] = [];
  for (let at = 0; at < stillsWanted; at++) {
    const still = { at_seconds: (film.seconds * (at + 0.5)) / stillsWanted };
    const path = join(outputs, `still-${at}.png`);
    const cost = await klieg.render(source, { target: "still", still }, path, seldom);
    waits.push(cost.wallSeconds);
  }
  const wait = percentile(waits, 0.5);
  const said = `a still takes ${wait.toFixed(2)} s; bar ${stillSecondsMax}`;
  lines.push(verdict(said, wait <= stillSecondsMax));
  return lines;
}
