import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process as the system describes it. */
export interface ChildProcess {
  readonly pid: number;
  readonly command: string;
  readonly uid: number;
  /** Returns a line of the process's status, for example `NoNewPrivs`. */
  status(name: string): string;
  /** Names of the process's namespaces. */
  readonly namespaces: Readonly<Record<"mnt" | "net" | "pid", string>>;
  readonly network: {
    /** Network interfaces as the system lists them for this process. */
    readonly interfaces: string;
    readonly addresses: string;
  };
}

/** Whether a process is a browser's, and not one that keeps watch over a browser. */
export function isBrowsers({ command }: ChildProcess): boolean {
  return /--type=|--user-data-dir=/.test(command) && !/^\S*(unshare|sh) /.test(command);
}

/** Returns all descendants of this process that have not ended. */
export function childProcesses(): readonly ChildProcess[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? note(name) : []));
  const found = new Set([process.pid]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => pid !== process.pid && found.has(pid));
}

export function isRunning(pid: number): boolean {
  return note(String(pid)).length > 0;
}

/** Kills a process, or with a negative number its group, that may have ended meanwhile. */
export function killIfRunning(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function note(name: string): (ChildProcess & { readonly parent: number })[] {
  try {
    const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, "latin1");
    const namespace = (kind: string): string => readlinkSync(`/proc/${name}/ns/${kind}`);
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
        namespaces: { mnt: namespace("mnt"), net: namespace("net"), pid: namespace("pid") },
        network: {
          interfaces: read("net/dev"),
          addresses: read("net/fib_trie"),
        },
      },
    ];
  } catch {
    // The process ended meanwhile.
    return [];
  }
}
