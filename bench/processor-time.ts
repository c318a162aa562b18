import { readdir, readFile } from "node:fs/promises";

/** Linux shows processor time in hundredths of a second, whatever the kernel's own tick is. */
const tickUs = 10_000;

/** User and system time of a process and all its descendants so far, in microseconds. */
export async function processorTimeUs(pid: number): Promise<number> {
  const entries = await readdir("/proc");
  const seen = await Promise.all(entries.filter((name) => /^\d+$/.test(name)).map(readStat));
  const processes = seen.filter((stat) => stat !== undefined);
  const family = new Set([pid]);
  let known = 0;
  while (known < family.size) {
    known = family.size;
    for (const { id, parent } of processes) if (family.has(parent)) family.add(id);
  }
  const ticks = processes
    .filter(({ id }) => family.has(id))
    .reduce((sum, { ticks: own }) => sum + own, 0);
  return ticks * tickUs;
}

/** proc(5): after the command in parentheses come state, parent, and at 12 to 15 the times. */
async function readStat(name: string) {
  const text = await readFile(`/proc/${name}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined; // It ended meanwhile.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { id: Number(name), parent: Number(fields[1]), ticks };
}
