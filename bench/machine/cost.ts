import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { listFamily } from "./processor-time.ts";

/** Time and memory that a piece of work took. */
export interface Cost {
  readonly wallSeconds: number;
  /** CPU time of all processes of the tree; one that lived only between two samples is missed. */
  readonly cpuSeconds: number;
  /** Memory of the tree in MB per sample, with shared pages counted once. */
  readonly memory: readonly MemoryLook[];
}

export interface MemoryLook {
  readonly atSeconds: number;
  readonly megabytes: number;
}

/** How often the cost is sampled. Sampling itself takes time away from the work. */
export interface Looks {
  readonly everyMs: number;
  /** Memory is read at every nth sample, which takes the kernel milliseconds; 0 for never. */
  readonly memoryEveryNth: number;
}

const often: Looks = { everyMs: 500, memoryEveryNth: 3 };

/** Samples the tree below `pid` (undefined if there is no process) while `work` runs. */
export async function watchCost<T>(
  pid: number | undefined,
  work: () => Promise<T>,
  looks = often,
): Promise<{ readonly result: T; readonly cost: Cost }> {
  const stop = new AbortController();
  const begunMs = performance.now();
  const tree = watchTree(pid, begunMs, looks, stop.signal);
  try {
    const result = await work();
    const wallSeconds = (performance.now() - begunMs) / 1_000;
    stop.abort();
    return { result, cost: { wallSeconds, ...(await tree) } };
  } finally {
    stop.abort();
  }
}

/** Counts processor time from now on. A process stays in the tree when its parent changes. */
async function watchTree(
  pid: number | undefined,
  begunMs: number,
  { everyMs, memoryEveryNth }: Looks,
  signal: AbortSignal,
) {
  const spentUs = new Map<number, { readonly before: number; readonly now: number }>();
  const memory: MemoryLook[] = [];
  if (pid === undefined) return { cpuSeconds: Number.NaN, memory };
  for (const { id, ownUs } of await listFamily(new Set([pid])))
    spentUs.set(id, { before: ownUs, now: ownUs });
  spentUs.set(pid, spentUs.get(pid) ?? { before: 0, now: 0 });
  for (let look = 0; ; look++) {
    const family = await listFamily(new Set(spentUs.keys()));
    for (const { id, ownUs } of family)
      spentUs.set(id, { before: spentUs.get(id)?.before ?? 0, now: ownUs });
    if (memoryEveryNth > 0 && look % memoryEveryNth === 0) {
      const bytes = await Promise.all(family.map(({ id }) => readMemoryBytes(id)));
      const megabytes = bytes.reduce((sum, one) => sum + one, 0) / 1e6;
      memory.push({ atSeconds: (performance.now() - begunMs) / 1_000, megabytes });
    }
    if (signal.aborted) break;
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
  const us = [...spentUs.values()].reduce((sum, { before, now }) => sum + now - before, 0);
  return { cpuSeconds: us / 1e6, memory };
}

/** Returns a process's proportional share of its memory (proc(5): Pss). */
async function readMemoryBytes(id: number): Promise<number> {
  const text = await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "");
  return 1_024 * Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

export function getPeak({ memory }: Cost): number {
  return Math.max(0, ...memory.map(({ megabytes }) => megabytes));
}
