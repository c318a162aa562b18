/**
 * Requests that the service holds open until something happens to a job: waits and event streams.
 * Each has a connection of its own. How late an answer is counts from the job's own time of its
 * end, which is the service's clock: on another machine the two clocks must agree.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { heldMebibytes } from "../machine/memory.ts";
import { ownTimeUs } from "../machine/processor-time.ts";
import { Latencies } from "../report/latencies.ts";
import type { Figure } from "../report/result.ts";
import type { Subject } from "../service/server-process.ts";

export interface HeldRequest {
  readonly text: string;
  readonly jobId: string;
}

export interface HeldResult {
  readonly figures: readonly Figure[];
  readonly delays: Latencies;
  readonly unanswered: number;
}

const atOnce = 64;
const settleMs = 1_000;
const patienceMs = 120_000;

export async function holdRequests(
  { origin, pid }: Subject,
  requests: readonly HeldRequest[],
  isEnd: (text: string) => boolean,
  readEndTimes: () => Promise<ReadonlyMap<string, number>>,
): Promise<HeldResult> {
  const look = async () => ({
    mebibytes: pid === undefined ? Number.NaN : await heldMebibytes(pid),
    us: pid === undefined ? Number.NaN : await ownTimeUs(pid),
  });
  const before = await look();
  const sockets: Socket[] = [];
  const endedMs = new Map<number, number>();
  const rest = requests.entries();
  const open = async () => {
    for (const [at, { text }] of rest)
      sockets.push(await openHeld(origin, text, isEnd, () => endedMs.set(at, Date.now())));
  };
  await Promise.all(Array.from({ length: atOnce }, open));
  await pause(settleMs);
  const held = await look();
  const until = performance.now() + patienceMs;
  while (endedMs.size < requests.length && performance.now() < until) await pause(100);
  const after = await look();
  for (const socket of sockets) socket.destroy();
  const delays = new Latencies();
  const endTimes = await readEndTimes();
  for (const [at, ms] of endedMs) {
    const end = endTimes.get(requests[at]?.jobId ?? "");
    if (end !== undefined) delays.record(Math.max(0, ms - end));
  }
  const each = (name: string, unit: string, value: number): Figure[] =>
    Number.isNaN(value) ? [] : [{ name, unit, better: "less", rounds: [value] }];
  const count = requests.length;
  return {
    figures: [
      { name: "p99", unit: "ms late", better: "less", rounds: [delays.percentile(99)] },
      { name: "p50", unit: "ms late", better: "less", rounds: [delays.percentile(50)] },
      ...each("memory", "KiB each", ((held.mebibytes - before.mebibytes) * 1_024) / count),
      ...each("CPU to open", "us each", (held.us - before.us) / count),
      ...each("CPU to end", "us each, with the job's own", (after.us - held.us) / count),
    ],
    delays,
    unanswered: count - endedMs.size,
  };
}

/** Sends a request that the service holds open; resolves when the request is written. */
function openHeld(
  origin: string,
  text: string,
  isEnd: (text: string) => boolean,
  ended: () => void,
): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  let received = "";
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding("latin1");
  socket.on("data", (part: string) => {
    received += part;
    if (!isEnd(received)) return;
    ended();
    socket.removeAllListeners("data").resume();
  });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => socket.write(text, "latin1", () => resolve(socket)));
  });
}
