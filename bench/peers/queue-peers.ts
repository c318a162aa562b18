/**
 * Job queues and engines by themselves, most without HTTP: a script of each adds jobs, 256 of them
 * under way at a time, and its own worker takes and completes them. Script and worker share a
 * process, which favours the peer: it has no answers to write and no client to wait for.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadProfile, NamedProcess } from "../load/by-turns.ts";
import { ownTimeUs, processorTimeUs } from "../machine/processor-time.ts";
import { latencyCurve, percentiles } from "../report/latencies.ts";
import type { Series } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import type { Setting } from "../scenario.ts";
import { endChild } from "../service/server-process.ts";
import { installPeer } from "./packages.ts";
import { startPostgres } from "./postgres.ts";
import { startRedis } from "./redis.ts";
import { startRestate } from "./restate.ts";

export const queuePeerNames = ["bullmq", "pg-boss", "graphile-worker", "restate"] as const;

export type QueuePeerName = (typeof queuePeerNames)[number];

interface Store {
  /** Address that the peer's script connects to. */
  readonly address: string;
  readonly process: NamedProcess;
  readonly close: () => Promise<void>;
}

const patienceSeconds = 30;
const notHttp = "no HTTP, credentials, checks, credits, duplicates, quotas or listings";

const peers: Readonly<
  Record<QueuePeerName, { readonly title: string; readonly lacks: string } & OpenStore>
> = {
  bullmq: {
    title: "BullMQ",
    lacks: `on Redis with an append-only file flushed before each answer: ${notHttp}`,
    open: openRedis,
  },
  "pg-boss": { title: "pg-boss", lacks: `on PostgreSQL: ${notHttp}`, open: startPostgresStore },
  "graphile-worker": {
    title: "graphile-worker",
    lacks: `on PostgreSQL: ${notHttp}`,
    open: startPostgresStore,
  },
  restate: {
    title: "Restate",
    lacks:
      "calls a service and answers at its end, over HTTP: no credentials, checks, credits, " +
      "duplicates, quotas or listings",
    open: openRestate,
  },
};

interface OpenStore {
  readonly open: (folder: string, packages: string) => Promise<Store>;
}

interface QueueRound {
  readonly jobs: number;
  readonly seconds: number;
  /** Latencies at each of `percentiles`, in milliseconds. */
  readonly latencies: readonly number[];
}

/** Runs the peers. A peer that cannot be run is reported and does not end the bench. */
export async function runQueuePeers(
  names: readonly QueuePeerName[],
  profile: LoadProfile,
  folder: string,
  setting: Setting,
): Promise<{ readonly series: readonly Series[]; readonly lines: readonly string[] }> {
  const series: Series[] = [];
  const lines: string[] = [];
  for (const name of names)
    try {
      series.push(await runQueuePeer(name, profile, folder, setting));
    } catch (fault) {
      const reason = fault instanceof Error ? fault.message : String(fault);
      lines.push(`${name} is missing: ${reason}`);
      setting.say(`${name} is missing: ${reason}`);
    }
  return { series, lines };
}

async function runQueuePeer(
  name: QueuePeerName,
  { seconds, rounds, connections }: LoadProfile,
  folder: string,
  setting: Setting,
): Promise<Series> {
  const { title, lacks, open } = peers[name];
  const packages = await installPeer(name, setting);
  const store = await open(join(folder, name), packages);
  const script = fork(join(packages, "run.mjs"), [store.address, `${connections}`], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    await receive(script, patienceSeconds);
    const found: {
      readonly result: QueueRound;
      readonly scriptUs: number;
      readonly storeUs: number;
    }[] = [];
    // The first round warms up and is not counted.
    for (let round = 0; round <= rounds; round++) {
      const before = [await ownTimeUs(script.pid ?? 0), await processorTimeUs(store.process.pid)];
      script.send({ seconds: round === 0 ? Math.min(3, seconds) : seconds, percentiles });
      const result = (await receive(script, seconds + patienceSeconds)) as QueueRound;
      const after = [await ownTimeUs(script.pid ?? 0), await processorTimeUs(store.process.pid)];
      const [scriptUs = 0, storeUs = 0] = after.map((us, at) => us - (before[at] ?? 0));
      if (round > 0) found.push({ result, scriptUs, storeUs });
      setting.say(`${title}: ${Math.round(result.jobs / result.seconds)} jobs a second`);
    }
    return toSeries(title, lacks, store.process.name, found);
  } finally {
    await endChild(script);
    await store.close();
  }
}

/** Waits for a message, but not forever: a peer that hangs must not hang the bench. */
async function receive(script: ChildProcess, withinSeconds: number): Promise<unknown> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(withinSeconds * 1_000)]);
  const ended = once(script, "exit", { signal }).then(() => {
    throw new Error("its script ended");
  });
  try {
    const [message] = await Promise.race([once(script, "message", { signal }), ended]);
    return message;
  } finally {
    ended.catch(() => undefined);
    over.abort();
  }
}

function toSeries(
  title: string,
  lacks: string,
  storeName: string,
  found: readonly { result: QueueRound; scriptUs: number; storeUs: number }[],
): Series {
  const speeds = found.map(({ result }) => result.jobs / result.seconds);
  const latency = (percent: (typeof percentiles)[number]) => ({
    name: `p${percent}`,
    unit: "ms",
    better: "less" as const,
    rounds: found.map(({ result }) => result.latencies[percentiles.indexOf(percent)] ?? 0),
  });
  const cost = (name: string, pick: (each: (typeof found)[number]) => number) => ({
    name,
    unit: "us a job",
    better: "less" as const,
    rounds: found.map((each) => pick(each) / each.result.jobs),
  });
  const middle = found[speeds.indexOf(percentile(speeds, 0.5))]?.result.latencies ?? [];
  return {
    name: title,
    lacks,
    figures: [
      { name: "jobs", unit: "a second", better: "more", rounds: speeds },
      ...[latency(50), latency(99), latency(99.9)],
      cost("CPU", ({ scriptUs, storeUs }) => scriptUs + storeUs),
      cost("CPU: script and worker", ({ scriptUs }) => scriptUs),
      cost(`CPU: ${storeName}`, ({ storeUs }) => storeUs),
    ],
    curves: [latencyCurve(middle.map((ms, at) => [percentiles[at] ?? 0, ms] as const))],
  };
}

async function openRedis(folder: string): Promise<Store> {
  const { port, pid, close } = await startRedis(folder);
  return { address: `${port}`, process: { name: "redis", pid }, close };
}

async function openRestate(folder: string, packages: string): Promise<Store> {
  const { ports, pid, close } = await startRestate(folder, packages);
  return { address: ports.join(","), process: { name: "restate-server", pid }, close };
}

async function startPostgresStore(): Promise<Store> {
  const { url, pid, close } = await startPostgres();
  return { address: url, process: { name: "postgres", pid }, close };
}
