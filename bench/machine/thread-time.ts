/** Processor time by thread, which shows where a service spends the time of a request. */
import { readdir, readFile } from "node:fs/promises";

/** Nanoseconds on a processor by thread id; a thread that ended is missing. */
export async function readThreadTimes(pid: number): Promise<ReadonlyMap<number, number>> {
  const ids = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(ids.map((id) => readOnProcessor(pid, id)));
  return new Map(ids.map((id, at) => [Number(id), times[at] ?? 0]));
}

export interface ThreadCost {
  readonly name: string;
  readonly us: number;
}

const shareMin = 0.03;

/**
 * Returns what each thread used between two readings: the main thread, the busy others in the order
 * in which they were started, and the rest together.
 */
export function compareThreads(
  pid: number,
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): ThreadCost[] {
  const used = [...after]
    .map(([id, ns]) => ({ id, us: (ns - (before.get(id) ?? 0)) / 1_000 }))
    .toSorted((one, other) => one.id - other.id);
  const sum = used.reduce((total, { us }) => total + us, 0);
  const isBusy = ({ id, us }: { id: number; us: number }) => id !== pid && us >= shareMin * sum;
  const main = used.find(({ id }) => id === pid);
  const busy = used.filter(isBusy);
  const rest = used.filter((thread) => thread.id !== pid && !isBusy(thread));
  return [
    { name: "main thread", us: main?.us ?? 0 },
    ...busy.map(({ us }, at) => ({ name: `thread ${at + 2}`, us })),
    { name: "other threads", us: rest.reduce((total, { us }) => total + us, 0) },
  ];
}

/** Returns the first number of a thread's schedstat: nanoseconds on a processor. */
async function readOnProcessor(pid: number, id: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${id}/schedstat`, "utf8").catch(() => "0");
  return Number(text.split(" ")[0]);
}
