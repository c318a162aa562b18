import { readFile } from "node:fs/promises";

/**
 * What a process holds itself (proc(5): RssAnon, RssShmem). Pages of its files are left out: the
 * kernel keeps those of a store that is mapped as long as nothing else needs the memory.
 */
export async function heldMebibytes(pid: number | undefined): Promise<number> {
  if (pid === undefined) return Number.NaN;
  const text = await readFile(`/proc/${pid}/status`, "utf8");
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? Number.NaN);
  return (read("RssAnon") + read("RssShmem")) / 1_024;
}
