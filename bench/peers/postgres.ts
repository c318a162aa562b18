/**
 * Starts PostgreSQL with its defaults, which flush before a commit is answered; only its memory is
 * set, as its manual advises for a server. It refuses to run as root, so there it runs as its own
 * user, in a folder that this user may enter.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { output } from "../service/command.ts";
import { endChild, freePort } from "../service/server-process.ts";
import { isOpen } from "./redis.ts";

const readyMs = 20_000;
const home = "/usr/lib/postgresql";
/** Kept over restarts of the machine, unlike /tmp, so this folder is never in memory. */
const places = "/var/tmp";

export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  readonly close: () => Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const programs = await findPrograms();
  const folder = await mkdtemp(join(places, "klieg-bench-postgres-"));
  const user = process.getuid?.() === 0 ? "postgres" : undefined;
  const as = (path: string, args: readonly string[]) =>
    user === undefined
      ? { path, args }
      : {
          path: "setpriv",
          args: [`--reuid=${user}`, `--regid=${user}`, "--clear-groups", path, ...args],
        };
  try {
    if (user !== undefined) await output({ path: "chown", args: [user, folder] });
    const store = join(folder, "store");
    const make = ["-D", store, "-U", "bench", "--auth=trust", "--encoding=UTF8", "--locale=C"];
    await output(as(join(programs, "initdb"), make));
    const port = await freePort();
    const server = as(join(programs, "postgres"), [
      ...["-D", store, "-p", `${port}`, "-k", folder, "-c", "listen_addresses=127.0.0.1"],
      ...["-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB", "-c", "max_connections=200"],
    ]);
    const child = spawn(server.path, server.args, { stdio: "ignore" });
    const close = async () => {
      // SIGINT is a fast shutdown: it disconnects clients and flushes everything.
      await endChild(child, "SIGINT");
      await rm(folder, { recursive: true, force: true });
    };
    const until = performance.now() + readyMs;
    while (!(await isOpen(port))) {
      if (child.exitCode !== null || performance.now() > until) {
        await close();
        throw new Error("postgres did not start");
      }
      await pause(100);
    }
    return { url: `postgres://bench@127.0.0.1:${port}/postgres`, pid: child.pid ?? 0, close };
  } catch (fault) {
    await rm(folder, { recursive: true, force: true });
    throw fault;
  }
}

async function findPrograms(): Promise<string> {
  const versions = await readdir(home).catch(() => []);
  const newest = versions.toSorted((one, other) => Number(other) - Number(one))[0];
  if (newest === undefined) throw new Error("there is no PostgreSQL (npm run bench gets it)");
  return join(home, newest, "bin");
}
