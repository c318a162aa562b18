import { readFile } from "node:fs/promises";

/** Returns the process's VmRSS from /proc/pid/status (proc(5)). */
export async function residentMebibytes(pid: number | undefined): Promise<number> {
  if (pid === undefined) return Number.NaN;
  const text = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) / 1_024;
}
