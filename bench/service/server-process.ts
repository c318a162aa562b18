/** Starts Klieg for a scenario, unless KLIEG_URL names a service that is already running. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ClientSettings } from "../../config/settings.ts";

/** Root of the clone that this program was built in. */
export const ownTree = join(import.meta.dirname, "../../..");

/** A store of ten million jobs takes long to open. */
const readyMs = 120_000;
const stopMs = 10_000;

export interface ServerProcess {
  readonly origin: string;
  /** Process id, or undefined for a service that was already running. */
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
  /** Ends the process with a signal that it cannot catch. */
  readonly kill: () => Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A service with its store. A restart keeps its address but starts a new process. */
export class Subject {
  /** Token that may create accounts. */
  readonly token: string;
  /** Folder of the service's data, on the same disk that the bench measures. */
  readonly folder: string;
  private server: ServerProcess;
  private readonly startAgain: () => Promise<ServerProcess>;

  constructor(
    token: string,
    folder: string,
    server: ServerProcess,
    startAgain: () => Promise<ServerProcess>,
  ) {
    this.token = token;
    this.folder = folder;
    this.server = server;
    this.startAgain = startAgain;
  }

  get origin(): string {
    return this.server.origin;
  }

  get pid(): number | undefined {
    return this.server.pid;
  }

  /** Restarts the service; returns the seconds from the new process's start until it was ready. */
  async restart(how: "stop" | "kill" = "stop"): Promise<number> {
    await this.server[how]();
    const begunMs = performance.now();
    this.server = await this.startAgain();
    return (performance.now() - begunMs) / 1_000;
  }

  /** Stops the service and removes its store. */
  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Starts Klieg as `npm start` does: empty store, simulated models, no rate limits. */
export async function startSubject(
  settings: ClientSettings,
  farmWorkers: number,
  environment: Environment,
  tree = ownTree,
): Promise<Subject> {
  await mkdir(settings.dataDir, { recursive: true });
  const folder = await mkdtemp(join(settings.dataDir, "bench-"));
  if (settings.url !== undefined) {
    if (settings.token === undefined) throw new Error("Set KLIEG_TOKEN to an operator's token.");
    const nothing = async () => undefined;
    const elsewhere = { origin: settings.url, pid: undefined, stop: nothing, kill: nothing };
    return new Subject(settings.token, folder, elsewhere, async () => elsewhere);
  }
  // The ports stay the same, so clients find the service at its address after a restart.
  const ports = [await freePort(), await freePort()] as const;
  const start = () => startNode(folder, farmWorkers, environment, tree, ports);
  const server = await start();
  try {
    const token = (await readFile(join(folder, "admin-token"), "utf8")).trim();
    return new Subject(token, folder, server, start);
  } catch (fault) {
    await server.stop();
    throw fault;
  }
}

/** Starts a node as `startSubject` does, with its data in `folder`; resolves when it is ready. */
export async function startNode(
  folder: string,
  farmWorkers: number,
  environment: Environment,
  tree = ownTree,
  ports?: readonly [number, number],
): Promise<ServerProcess> {
  const [port, operatorPort] = ports ?? [await freePort(), await freePort()];
  const child = spawn("sh", [join(tree, "config/serve")], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...environment,
      KLIEG_URL: undefined,
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
  const stop = () => endChild(child);
  try {
    await untilReady(child, `${origin}/readyz`);
    return { origin, pid: child.pid, stop, kill: () => endChild(child, "SIGKILL") };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** Calls `stop` and exits on SIGINT or SIGTERM; calling the result revokes that. */
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

export async function endChild(
  child: ChildProcess,
  signal: "SIGTERM" | "SIGINT" | "SIGKILL" = "SIGTERM",
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
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
