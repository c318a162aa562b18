import { readdir, readFile } from "node:fs/promises";

/** Linux reports processor time in hundredths of a second, whatever the kernel's own tick is. */
const tickUs = 10_000;

export interface ProcessTimes {
  readonly id: number;
  readonly parent: number;
  readonly ownUs: number;
  /** Processor time of children that have ended and were waited for. */
  readonly endedUs: number;
}

/** User and system time so far of a process and all its descendants, in microseconds. */
export async function processorTimeUs(pid: number): Promise<number> {
  const family = await listFamily(new Set([pid]));
  return family.reduce((sum, { ownUs, endedUs }) => sum + ownUs + endedUs, 0);
}

/** User and system time so far of one process with all its threads, but without its children. */
export async function ownTimeUs(pid: number): Promise<number> {
  const stat = await readStat(`${pid}`);
  if (stat === undefined) throw new Error(`Process ${pid} has ended.`);
  return stat.ownUs;
}

/** Returns those of these processes that are alive, and all their descendants. */
export async function listFamily(ancestors: ReadonlySet<number>): Promise<readonly ProcessTimes[]> {
  return findFamily(await listProcesses(), ancestors);
}

export async function listProcesses(): Promise<readonly ProcessTimes[]> {
  const entries = await readdir("/proc");
  const seen = await Promise.all(entries.filter((name) => /^\d+$/.test(name)).map(readStat));
  return seen.filter((stat) => stat !== undefined);
}

/** Returns those of `processes` that are `ancestors` or descend from them. */
export function findFamily(
  processes: readonly ProcessTimes[],
  ancestors: ReadonlySet<number>,
): readonly ProcessTimes[] {
  const family = new Set(ancestors);
  let known = 0;
  while (known < family.size) {
    known = family.size;
    for (const { id, parent } of processes) if (family.has(parent)) family.add(id);
  }
  return processes.filter(({ id }) => family.has(id));
}

/** proc(5): after the command in parentheses come state and parent, and the times at 12 to 15. */
async function readStat(name: string): Promise<ProcessTimes | undefined> {
  const text = await readFile(`/proc/${name}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined; // It ended meanwhile.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const us = (from: number): number => tickUs * (Number(fields[from]) + Number(fields[from + 1]));
  return { id: Number(name), parent: Number(fields[1]), ownUs: us(11), endedUs: us(13) };
}
