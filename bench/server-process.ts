/**
 * The two servers of a comparison, each a process of its own that ends with the bench: the peer,
 * and Klieg unless KLIEG_URL names one that runs already.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientSettings } from "../config/settings.ts";

/** The clone that this program was built in. */
export const ownTree = join(import.meta.dirname, "../..");

const readyMs = 30_000;
const stopMs = 10_000;

export interface ServerProcess {
  readonly origin: string;
  /** Undefined for a service that was there before. */
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
}

export interface Subject extends ServerProcess {
  /** May create accounts. */
  readonly token: string;
  /** On the disk that is measured beside. */
  readonly folder: string;
}

/** Klieg as `npm start` runs it, on an empty store, with simulated models and no rate limits. */
export async function startSubject(
  settings: ClientSettings,
  farmWorkers: number,
  environment: Readonly<Record<string, string | undefined>>,
  tree = ownTree,
): Promise<Subject> {
  await mkdir(settings.dataDir, { recursive: true });
  const folder = await mkdtemp(join(settings.dataDir, "bench-"));
  const clean = () => rm(folder, { recursive: true });
  if (settings.url !== undefined) {
    if (settings.token === undefined) throw new Error("Set KLIEG_TOKEN to an operator's token.");
    return { origin: settings.url, token: settings.token, pid: undefined, folder, stop: clean };
  }
  const service = await startNode(folder, farmWorkers, environment, tree);
  const stop = () => service.stop().then(clean);
  try {
    const token = (await readFile(join(folder, "admin-token"), "utf8")).trim();
    return { ...service, token, folder, stop };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** As `startSubject` does, with its data in that folder; resolves when it is ready. */
export async function startNode(
  folder: string,
  farmWorkers: number,
  environment: Readonly<Record<string, string | undefined>>,
  tree = ownTree,
): Promise<ServerProcess> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  const child = spawn("sh", [join(tree, "config/serve")], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...environment,
      KLIEG_BOOTSTRAP_TOKEN: undefined,
      KLIEG_BOOTSTRAP_TOKEN_FILE: undefined,
      KLIEG_CONNECTIONS_PER_ADDRESS: "100000",
      KLIEG_SIM: "1",
      KLIEG_RATE_LIMITS: "off",
      KLIEG_FARM_WORKERS: String(farmWorkers),
      KLIEG_LOG_LEVEL: "error",
      KLIEG_DATA_DIR: folder,
      KLIEG_HOST: "127.0.0.1",
      KLIEG_PORT: String(port),
      KLIEG_OPERATOR_PORT: String(operatorPort),
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  const stop = () => end(child);
  try {
    await untilReady(child, `${origin}/readyz`);
    return { origin, pid: child.pid, stop };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** Bare uWS that answers `body` to everything. */
export async function startPeer(folder: string, body: string): Promise<ServerProcess> {
  const file = join(folder, "peer-body.json");
  await writeFile(file, body);
  const child = fork(join(import.meta.dirname, "peer.js"), [file]);
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The peer ended.")));
  const [message] = await Promise.race([once(child, "message"), ended]);
  return {
    origin: `http://127.0.0.1:${message.port}`,
    pid: child.pid,
    stop: () => end(child),
  };
}

/** Ends the program by way of `stop` when it is told to end; what is returned revokes that. */
export function stopOnSignals(stop: () => Promise<unknown>): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const end = (): void => void stop().finally(() => process.exit(1));
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.removeListener(signal, end);
  };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const until = performance.now() + readyMs;
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error("The service ended at its start; see above.");
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await pause(50);
  }
  throw new Error(`The service was not ready within ${readyMs / 1_000} s.`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await ended;
  clearTimeout(timer);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port was found.");
  return address.port;
}
