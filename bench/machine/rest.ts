/**
 * Is the machine at rest but for the bench? What is measured on a machine that works for others
 * too is theirs as well: caches, frequencies and turns at the processor are shared.
 *
 * Others are all processes that are neither this one nor below it, and the hypervisor where it
 * keeps a processor for itself ("steal"). Their times are added up one by one: what the machine
 * used less what the bench used would count a browser that is killed, whose time vanishes with it.
 * A program that begins and ends between two looks is not seen.
 */
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { findFamily, listProcesses } from "./processor-time.ts";

/** Linux counts these times in hundredths of a second. */
const tickUs = 10_000;
const lookMs = 2_000;

/** Largest share of all processors' time that others may use while the machine is at rest. */
export const restShareMax = 0.05;

export interface MachineLook {
  readonly atMs: number;
  /** Time that the hypervisor kept for itself. */
  readonly stolenUs: number;
  /** Time of each process so far, by its id, without its children. */
  readonly usById: ReadonlyMap<number, number>;
  /** Ids of this process and of those below it. */
  readonly own: ReadonlySet<number>;
}

export async function lookAtMachine(): Promise<MachineLook> {
  const [processes, stat] = await Promise.all([listProcesses(), readFile("/proc/stat", "utf8")]);
  const family = findFamily(processes, new Set([process.pid]));
  return {
    atMs: performance.now(),
    stolenUs: parseStolenUs(stat),
    usById: new Map(processes.map(({ id, ownUs }) => [id, ownUs])),
    own: new Set(family.map(({ id }) => id)),
  };
}

/** proc(5): user, nice, system, idle, iowait, irq, softirq, steal. */
export function parseStolenUs(stat: string): number {
  return tickUs * Number((stat.split("\n")[0] ?? "").split(/\s+/)[8] ?? 0);
}

/** Share of all processors' time used by other processes between two samples, from 0 to 1. */
export function othersShare(
  before: MachineLook,
  after: MachineLook,
  processors = availableParallelism(),
): number {
  const passedUs = (after.atMs - before.atMs) * 1_000 * processors;
  let othersUs = after.stolenUs - before.stolenUs;
  for (const [id, us] of after.usById)
    if (!after.own.has(id)) othersUs += us - (before.usById.get(id) ?? 0);
  return passedUs <= 0 ? 0 : Math.min(1, Math.max(0, othersUs / passedUs));
}

/** Measures the share that other processes use while the bench does nothing. */
export async function measureRest(): Promise<number> {
  const before = await lookAtMachine();
  await pause(lookMs);
  return othersShare(before, await lookAtMachine());
}

export function isAtRest(shares: readonly number[]): boolean {
  const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  return mean <= restShareMax;
}

/** Describes in one line how much of the machine other processes used. */
export function describeRest(shares: readonly number[]): string {
  const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  const most = Math.max(0, ...shares);
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return (
    `others had ${percent(mean)} of the processors' time, ${percent(most)} in the worst round ` +
    `(at rest: at most ${percent(restShareMax)})`
  );
}

const watchMs = 5_000;

/** Samples the machine every few seconds; `stop` returns the share of others in each interval. */
export function watchOthers() {
  const shares: number[] = [];
  let last = lookAtMachine();
  const look = async () => {
    const [before, now] = [await last, await lookAtMachine()];
    last = Promise.resolve(now);
    // A short interval gives a wrong share, since the kernel's counts are coarse.
    if (now.atMs - before.atMs > watchMs / 2) shares.push(othersShare(before, now));
  };
  const timer = setInterval(() => void look(), watchMs);
  return {
    async stop(): Promise<readonly number[]> {
      clearInterval(timer);
      await look();
      return shares;
    },
  };
}
