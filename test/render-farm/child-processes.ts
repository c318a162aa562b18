import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What the system says of one process. */
export interface ChildProcess {
  readonly pid: number;
  readonly command: string;
  readonly uid: number;
  /** A line of its status, for example `NoNewPrivs`. */
  status(name: string): string;
  readonly network: {
    readonly name: string;
    /** As the system lists them for this process. */
    readonly interfaces: string;
    readonly addresses: string;
  };
}

/** Everything that this process started, and what that started, that has not ended. */
export function childProcesses(): readonly ChildProcess[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? seen(name) : []));
  const found = new Set([process.pid]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => pid !== process.pid && found.has(pid));
}

export function isRunning(pid: number): boolean {
  return seen(String(pid)).length > 0;
}

function seen(name: string): (ChildProcess & { readonly parent: number })[] {
  try {
    const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, "latin1");
    const lines = read("status");
    const status = (line: string): string =>
      new RegExp(`^${line}:\\s+(.*)$`, "m").exec(lines)?.[1] ?? "";
    if (status("State").startsWith("Z")) return [];
    return [
      {
        pid: Number(name),
        parent: Number(status("PPid")),
        command: read("cmdline").replaceAll("\0", " "),
        uid: Number(status("Uid").split("\t")[0]),
        status,
        network: {
          name: readlinkSync(`/proc/${name}/ns/net`),
          interfaces: read("net/dev"),
          addresses: read("net/fib_trie"),
        },
      },
    ];
  } catch {
    // It ended meanwhile.
    return [];
  }
}
