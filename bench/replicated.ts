/**
 * How many submits a second does a node bear whose log is replicated, beside one that has a disk
 * alone? Three servers of NATS, the owner and a standby share this machine with the load. The
 * cluster has two shards unless it is told otherwise, as `npm run cluster` gives one that lies on a
 * single machine; the other has as many as it comes with, one for a machine of two processors.
 *
 * The same is then asked of the standby, which forwards all of it to the owner.
 */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNatsClusterIn } from "../test/nats-server.ts";
import { startSwift } from "../test/s3/swift.ts";
import { type Figures, medians } from "./figures.ts";
import { balanced, countJobs, createCrowd, type Member, settled } from "./load/crowd.ts";
import { drive } from "./load/load.ts";
import { type LoadOptions, loadOptions, readLoadOptions } from "./load/load-options.ts";
import { writeSubmits } from "./load/requests.ts";
import { processorTimeUs } from "./machine/processor-time.ts";
import type { Finding, Question, Setting } from "./question.ts";
import { verdict } from "./render/render-table.ts";
import { freePort, type ServerProcess, startNode } from "./server-process.ts";

const barOfLocal = 0.35;

export const replicated: Question = {
  summary: "durable submits of a cluster's owner, beside those of one machine by itself",
  options: [...loadOptions, "--shards N       of the cluster (2, as npm run cluster has)"],
  farmWorkers: 0,
  plan: (args) => {
    const options = readLoadOptions(args);
    return (setting) => measure(options, setting);
  },
};

interface Side {
  readonly name: string;
  readonly origin: string;
  readonly pids: readonly number[];
  readonly crowd: readonly Member[];
  /** Their processor time is that of the nodes, without NATS. */
  readonly rounds: Figures[];
  answered: number;
}

async function measure(options: LoadOptions, setting: Setting): Promise<Finding> {
  const { subject, environment, say } = setting;
  const cluster = await openCluster(environment, options.shards);
  try {
    const { owner, standby, token } = cluster;
    const accounts = options.accounts;
    const local = sideOf(
      "local",
      subject,
      [],
      await createCrowd(subject.origin, subject.token, accounts),
    );
    const shared = sideOf(
      "replicated",
      owner,
      [standby],
      await createCrowd(owner.origin, token, accounts),
    );
    const forwarded = sideOf(
      "forwarded",
      standby,
      [owner],
      await createCrowd(standby.origin, token, accounts),
    );
    const sides = [local, shared, forwarded];
    for (let round = 0; round <= options.course.rounds; round++)
      for (const side of sides) {
        const figures = await drivenRound(side, round, options);
        say(`round ${round}, ${side.name}: ${Math.round(figures.requestsPerSecond)} submits/s`);
        // The first round of each warms it up and counts for nothing.
        if (round > 0) side.rounds.push(figures);
      }
    say("waiting until every job has ended");
    const sound = await Promise.all(sides.map((side) => isSound(side, options)));
    return { isSound: sound.every(Boolean), lines: table(local, shared, forwarded) };
  } finally {
    await cluster.close();
  }
}

function sideOf(
  name: string,
  owner: ServerProcess,
  others: readonly ServerProcess[],
  crowd: readonly Member[],
): Side {
  const pids = [owner, ...others].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  return { name, origin: owner.origin, pids, crowd, rounds: [], answered: 0 };
}

async function drivenRound(side: Side, round: number, { course }: LoadOptions): Promise<Figures> {
  const { origin, crowd, pids } = side;
  const requests = writeSubmits(crowd, new URL(origin).host, round);
  const before = await timeOf(pids);
  const result = await drive(origin, { ...course, requests, countStatuses: false });
  const processorUs = ((await timeOf(pids)) - before) / result.requests;
  if (result.refused > 0) throw new Error(`${side.name}: ${result.refused} submits were refused.`);
  side.answered += result.requests;
  // Work that goes on after its answer must not slow the other side.
  await settled(crowd);
  const { p50Ms, p99Ms } = result;
  return { requestsPerSecond: result.requests / result.seconds, p50Ms, p99Ms, processorUs };
}

async function timeOf(pids: readonly number[]): Promise<number> {
  const times = await Promise.all(pids.map(processorTimeUs));
  return times.reduce((sum, time) => sum + time, 0);
}

/** Jobs without an answer are those on their way when a round's clock stopped. */
async function isSound({ crowd, answered }: Side, { course }: LoadOptions): Promise<boolean> {
  const open = await settled(crowd);
  const jobs = await countJobs(crowd);
  const sample = crowd.slice(0, 20);
  const cutOff = course.connections * (course.rounds + 1);
  const isCounted = jobs >= answered && jobs <= answered + cutOff;
  return open === 0 && isCounted && (await balanced(sample)) === sample.length;
}

function table(local: Side, shared: Side, forwarded: Side): string[] {
  const share = rateOf(shared) / rateOf(local);
  return [
    "submits to one machine, to the owner of all shards and to its standby, medians",
    ...[local, shared, forwarded].map(lineOf),
    `forwarded is ${percent(rateOf(forwarded) / rateOf(shared))} of replicated`,
    verdict(
      `replicated is ${percent(share)} of local, bar ${percent(barOfLocal)}`,
      share >= barOfLocal,
    ),
  ];
}

const rateOf = ({ rounds }: Side): number => medians(rounds).requestsPerSecond;

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

function lineOf({ name, rounds }: Side): string {
  const { requestsPerSecond, p50Ms, p99Ms, processorUs } = medians(rounds);
  return (
    `${name.padEnd(11)}${Math.round(requestsPerSecond)} submits/s, p50 ${p50Ms.toFixed(1)} ms, ` +
    `p99 ${p99Ms.toFixed(1)} ms, CPU of the nodes ${processorUs?.toFixed(0)} us a submit`
  );
}

interface Cluster {
  readonly owner: ServerProcess;
  readonly standby: ServerProcess;
  readonly token: string;
  close(): Promise<void>;
}

/** The owner of all shards is the one that was first; the standby follows it. */
async function openCluster(environment: Setting["environment"], shards: number): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), "klieg-bench-"));
  const nats = await startNatsClusterIn(folder);
  const { store, close: closeStore } = await startSwift();
  const nodes: ServerProcess[] = [];
  const close = async () => {
    for (const node of nodes.toReversed()) await node.stop();
    await closeStore();
    for (const server of nats) await server.kill();
    await rm(folder, { recursive: true });
  };
  const start = async (name: string) => {
    const data = join(folder, name);
    await mkdir(data);
    const node = await startNode(data, 0, {
      ...environment,
      KLIEG_SHARDS: `${shards}`,
      KLIEG_NATS_URL: nats.map(({ url }) => url).join(","),
      KLIEG_S3_ENDPOINT: store.endpoint,
      KLIEG_S3_BUCKET: store.bucket,
      KLIEG_S3_ACCESS_KEY: store.accessKey,
      KLIEG_S3_SECRET_KEY: store.secretKey,
      KLIEG_CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
    });
    nodes.push(node);
    return node;
  };
  try {
    const owner = await start("owner");
    const token = (await readFile(join(folder, "owner", "admin-token"), "utf8")).trim();
    return { owner, standby: await start("standby"), token, close };
  } catch (fault) {
    await close();
    throw fault;
  }
}
