/**
 * How much faster is one film with a second farm node over NATS? Each node is its own program on
 * its own processor, and both store what they share in a bucket.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startNatsIn } from "../../test/nats-server.ts";
import { startSwift } from "../../test/s3/swift.ts";
import type { Cost } from "../machine/cost.ts";
import { readOptions } from "../options.ts";
import { sameBytes } from "../render/fidelity.ts";
import { layOut, makeMedia } from "../render/film-folder.ts";
import { films } from "../render/films.ts";
import { KliegRenderer } from "../render/klieg-renderer.ts";
import { verdict } from "../render/render-table.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";
import type { Subject } from "../service/server-process.ts";
import { findTools } from "../service/tools.ts";
import { median, nodesFilm, timesMin } from "./nodes.ts";

const entry = join(import.meta.dirname, "../../render-farm/main.js");
/** Only wall time is compared, and sampling would take time of the second node's processor. */
const hardlyEver = { everyMs: 60_000, memoryEveryNth: 0 };
let natsUrl = "";

export const remoteNodes: Scenario = {
  question: "How much faster is one film with a second farm node over NATS and a bucket?",
  excludes: "a network that is slow: all of it is on this machine",
  options: ["--rounds N       of each (2)", "--seconds N      that the film lasts (40)"],
  plan: (args) => {
    const options = readOptions(args, { rounds: 2, seconds: 40 });
    return (setting) => compare(options, setting);
  },
};

interface Options {
  readonly rounds: number;
  readonly seconds: number;
}

/** Starts NATS and the bucket, before the service that is configured to use them. */
async function prepare() {
  const folder = await mkdtemp(join(tmpdir(), "klieg-bench-"));
  const nats = await startNatsIn(folder, { hasJetStream: true });
  const { store, close } = await startSwift();
  natsUrl = nats.url;
  return {
    environment: {
      KLIEG_NATS_URL: nats.url,
      KLIEG_S3_ENDPOINT: store.endpoint,
      KLIEG_S3_BUCKET: store.bucket,
      KLIEG_S3_ACCESS_KEY: store.accessKey,
      KLIEG_S3_SECRET_KEY: store.secretKey,
    },
    async close() {
      await close();
      await nats.kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** Renders the images film, first with one node and then with both. */
async function compare(options: Options, setting: Setting): Promise<Finding> {
  const prepared = await prepare();
  try {
    const subject = await setting.start({ environment: prepared.environment, mustBeOwn: true });
    return await compareNodes(options, subject, setting).finally(() => subject.stop());
  } finally {
    await prepared.close();
  }
}

async function compareNodes(
  { rounds, seconds }: Options,
  subject: Subject,
  { environment, say }: Setting,
): Promise<Finding> {
  if (availableParallelism() < 2 || subject.pid === undefined)
    return { lines: ["farm: not run, it needs two processors of this machine"], isSound: true };
  const film = films.find(({ name }) => name === nodesFilm);
  if (film === undefined) throw new Error(`there is no film ${nodesFilm}`);
  const media = await makeMedia(join(subject.folder, "media"), await findTools(environment));
  const source = join(subject.folder, "films", film.name);
  await layOut(film.name, source, media);
  await stretch(source, film.seconds, seconds);
  const outputs = join(subject.folder, "made", "farm");
  await mkdir(outputs, { recursive: true });
  const klieg = new KliegRenderer(subject, hardlyEver);
  const nodes: FarmNode[] = [];
  const paths: string[] = [];
  const walls: number[] = [];
  try {
    for (const count of [1, 2]) {
      nodes.push(startNode(count - 1, environment));
      const costs: Cost[] = [];
      for (let round = 0; round <= rounds; round++) {
        const path = join(outputs, `${count}-${round}.mp4`);
        const cost = await klieg.render(source, { quality: "standard" }, path);
        // A node starts its browsers in its first round, so that round is not counted.
        if (round > 0) costs.push(cost);
        paths.push(path);
        say(`${film.name}, round ${round}, farm nodes ${count}: ${cost.wallSeconds.toFixed(1)} s`);
      }
      walls.push(median(costs, ({ wallSeconds }) => wallSeconds));
    }
  } finally {
    for (const node of nodes) await node.stop();
  }
  const [one = Number.NaN, two = Number.NaN] = walls;
  const times = one / two;
  return {
    lines: [
      `farm: the images film of ${seconds} s over NATS, medians`,
      ...walls.map((wall, at) => `${at + 1} of a processor each: ${wall.toFixed(1)} s`),
      verdict(
        `two nodes are ${times.toFixed(2)} x as fast as one, bar ${timesMin}`,
        times >= timesMin,
      ),
      verdict("all films of one node and of two are the same bytes", await sameBytes(paths)),
    ],
    isSound: true,
  };
}

/** Stretches the same pictures and motions over more time: a node's start then weighs less. */
async function stretch(folder: string, from: number, to: number): Promise<void> {
  const path = join(folder, "index.html");
  const page = await readFile(path, "utf8");
  const stretched = page
    .replace(`data-duration="${from}"`, `data-duration="${to}"`)
    .replaceAll(`${from}s linear`, `${to}s linear`);
  await writeFile(path, stretched);
}

interface FarmNode {
  stop(): Promise<void>;
}

/** Starts a farm node that only knows the address of NATS. */
function startNode(core: number, environment: Setting["environment"]): FarmNode {
  const args = ["-c", `${core}`, process.execPath, "--max-semi-space-size=2", entry];
  const child = spawn("taskset", args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...environment,
      KLIEG_NATS_URL: natsUrl,
      KLIEG_LOG_LEVEL: "warn",
      // Two nodes of one machine would want the same port for their metrics.
      KLIEG_OPERATOR_PORT: "0",
      MALLOC_MMAP_THRESHOLD_: "1048576",
    },
  });
  const ended = once(child, "exit");
  return {
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
