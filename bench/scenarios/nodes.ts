/** How much faster is one film with a second farm node, each node on its own processor? */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readClientSettings } from "../../config/settings.ts";
import type { Cost } from "../machine/cost.ts";
import { listFamily } from "../machine/processor-time.ts";
import { readOptions } from "../options.ts";
import { sameBytes } from "../render/fidelity.ts";
import { layOut, makeMedia } from "../render/film-folder.ts";
import { films } from "../render/films.ts";
import { KliegRenderer } from "../render/klieg-renderer.ts";
import { verdict } from "../render/render-table.ts";
import type { Finding } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { output } from "../service/command.ts";
import { type Subject, startSubject } from "../service/server-process.ts";
import { findTools } from "../service/tools.ts";

export const nodesFilm = "images";
export const timesMin = 1.7;
const startMs = 20_000;

export const nodes: Scenario = {
  question: "How much faster is one film with a second farm node, each on its own processor?",
  excludes: "nodes of other machines (see farm)",
  options: ["--rounds N       of each (3)"],
  plan: (args) => {
    const { rounds } = readOptions(args, { rounds: 3 });
    return (setting) => compareInFolder(rounds, setting);
  },
};

/** With both processors busy, sampling would take time from the nodes that it measures. */
const seldom = { everyMs: 1_000, memoryEveryNth: 0 };

/** A service with its own farm nodes. */
interface NodeService {
  readonly subject: Subject;
  readonly klieg: KliegRenderer;
  /** Number of the service's farm nodes. */
  readonly count: number;
  readonly costs: Cost[];
}

async function compareInFolder(rounds: number, setting: Setting): Promise<Finding> {
  const folder = await mkdtemp(join(setting.dataDir, "bench-"));
  try {
    return await compareNodes(rounds, folder, setting);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Renders the images film by turns with different numbers of nodes. */
export async function compareNodes(
  rounds: number,
  folder: string,
  setting: Setting,
): Promise<Finding> {
  const { environment, say } = setting;
  if (availableParallelism() < 2 || setting.isRemote)
    return { lines: ["nodes: not run, it needs two processors of this machine"], isSound: true };
  const film = films.find(({ name }) => name === nodesFilm);
  if (film === undefined) throw new Error(`there is no film ${nodesFilm}`);
  const media = await makeMedia(join(folder, "media"), await findTools(environment));
  const source = join(folder, "films", film.name);
  await layOut(film.name, source, media);
  const outputs = join(folder, "made", "nodes");
  await mkdir(outputs, { recursive: true });
  const services: NodeService[] = [];
  const abandon = (): void => {
    for (const { subject } of services) if (subject.pid !== undefined) end(subject.pid);
  };
  process.once("exit", abandon);
  try {
    for (const count of [1, 2]) services.push(await openService(count, environment));
    const paths: string[] = [];
    for (let round = 0; round <= rounds; round++)
      for (const service of services) {
        const path = join(outputs, `${service.count}-${round}.mp4`);
        // The first round of a service starts its farm and counts for nothing.
        const cost = await service.klieg.render(source, { quality: "standard" }, path);
        if (round > 0) service.costs.push(cost);
        paths.push(path);
        const took = `${cost.wallSeconds.toFixed(1)} s`;
        say(`${film.name}, round ${round}, farm nodes ${service.count}: ${took}`);
      }
    return { lines: await table(services, paths), isSound: true };
  } finally {
    process.removeListener("exit", abandon);
    for (const service of services) await service.subject.stop();
  }
}

async function openService(
  count: number,
  environment: Setting["environment"],
): Promise<NodeService> {
  const settings = { ...readClientSettings(environment), url: undefined };
  const subject = await startSubject(settings, count, environment);
  try {
    const nodes = await listNodes(subject, count);
    for (const [core, pid] of nodes.entries())
      await output({ path: "taskset", args: ["-a", "-p", "-c", `${core}`, `${pid}`] });
    return { subject, klieg: new KliegRenderer(subject, seldom), count, costs: [] };
  } catch (fault) {
    await subject.stop();
    throw fault;
  }
}

/** Returns the process ids of the farm's nodes once all of them have started. */
async function listNodes({ pid }: Subject, count: number): Promise<readonly number[]> {
  const until = performance.now() + startMs;
  while (pid !== undefined && performance.now() < until) {
    const family = await listFamily(new Set([pid]));
    const children = family.filter(({ parent }) => parent === pid).map(({ id }) => id);
    const commands = await Promise.all(children.map(readCommand));
    const found = children.filter((_, at) => commands[at]?.includes("render-farm/main.js"));
    if (found.length === count) return found;
    await pause(50);
  }
  throw new Error(`the service started no ${count} farm nodes`);
}

function readCommand(id: number): Promise<string> {
  return readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
}

async function table(
  services: readonly NodeService[],
  paths: readonly string[],
): Promise<string[]> {
  const [one, two] = services.map(({ costs }) => ({
    wall: median(costs, ({ wallSeconds }) => wallSeconds),
    cpu: median(costs, ({ cpuSeconds }) => cpuSeconds),
  }));
  if (one === undefined || two === undefined) throw new Error("two services are compared");
  const lines = [one, two].map(
    ({ wall, cpu }, at) =>
      `${at + 1} of a processor each: ${wall.toFixed(1)} s, CPU ${cpu.toFixed(1)} s`,
  );
  const times = one.wall / two.wall;
  return [
    "nodes: the images film, medians",
    ...lines,
    verdict(
      `two nodes are ${times.toFixed(2)} x as fast as one, bar ${timesMin}`,
      times >= timesMin,
    ),
    verdict("all films of one node and of two are the same bytes", await sameBytes(paths)),
  ];
}

export function median(costs: readonly Cost[], of: (cost: Cost) => number): number {
  return percentile(costs.map(of), 0.5);
}

function end(pid: number): void {
  try {
    process.kill(pid);
  } catch (failure) {
    // ESRCH means that the process has ended already.
    if (!(failure instanceof Error && "code" in failure && failure.code === "ESRCH")) throw failure;
  }
}
