/**
 * `npm run cluster`: a whole cluster on this machine, for trying it out. It starts the programs
 * below and restarts none: one that was killed stays away until everything is started again, with
 * the same data. All of them end with this process.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Child, ChildError } from "../../config/cluster/child.ts";
import { SettingsError } from "../../config/environment.ts";
import { readSettings } from "../../config/settings.ts";
import { lockFile } from "../../engine/adapters/kernel-lock.ts";
import { natsUrl, startNats } from "./nats.ts";
import { startEngineNodes, startFarmNodes } from "./nodes.ts";
import { accessKey, type StoreServer, startStore } from "./object-store.ts";
import {
  enginePort,
  findTakenPort,
  host,
  makeFolder,
  portsFrom,
  portsTaken,
  readSecrets,
  writePrivate,
} from "./places.ts";

/** Nodes end before the servers, since they sign off from the servers they use. */
const nodes: Child[] = [];
const servers: Child[] = [];
let store: StoreServer | undefined;
let isStopping = false;

process.umask(0o077);
process.on("SIGINT", () => void stop(0));
process.on("SIGTERM", () => void stop(0));
try {
  await start();
} catch (error) {
  if (!isForOperator(error)) throw error;
  if (!isStopping) {
    say(error.message);
    await stop(1);
  }
}

async function start(): Promise<void> {
  const folder = process.env["KLIEG_DATA_DIR"] ?? join("data", "cluster");
  const settings = readSettings({ ...process.env, KLIEG_DATA_DIR: folder }, availableParallelism());
  const { dataDir, port } = settings;
  makeFolder(dataDir);
  await checkPlace(dataDir, port);
  const secrets = readSecrets(dataDir);
  const common = { folder: dataDir, port, secrets };
  const opening = startStore(common);
  await all([...keep(servers, startNats(common)), opening.then(keepStore)]);
  const nats = { KLIEG_NATS_URL: natsUrl(port) };
  const bucket = {
    KLIEG_S3_ENDPOINT: (await opening).endpoint,
    KLIEG_S3_BUCKET: "klieg",
    KLIEG_S3_ACCESS_KEY: accessKey,
    KLIEG_S3_SECRET_KEY: secrets.storeKey,
  };
  await all([
    ...keep(nodes, startEngineNodes({ ...common, settings: { ...nats, ...bucket } })),
    ...keep(nodes, startFarmNodes({ ...common, settings: nats })),
  ]);
  writePrivate(join(dataDir, "address"), `${origin(port, 0)}\n`);
  process.stdout.write(welcome(dataDir, port));
}

/** Throws `SettingsError`. */
async function checkPlace(dataDir: string, port: number): Promise<void> {
  if (lockFile(join(dataDir, "lock"), 1) === undefined)
    throw new SettingsError(
      `Another cluster uses ${dataDir}; stop it or set KLIEG_DATA_DIR to another directory.`,
    );
  const taken = port + portsTaken > 65_536 ? port : await findTakenPort(portsFrom(port));
  if (taken !== undefined)
    throw new SettingsError(
      `Cannot listen on port ${taken}; stop the process that uses it, or set KLIEG_PORT to the first of ${portsTaken} free ports.`,
    );
}

function keep(group: Child[], starting: readonly Promise<Child>[]): Promise<void>[] {
  return starting.map(async (start) => {
    const child = await start;
    group.push(child);
    if (isStopping) child.kill("SIGTERM");
    watch(child.name, child.ended);
  });
}

function keepStore(started: StoreServer): void {
  store = started;
  watch(started.kind, started.ended);
}

/** Reports the end of a program that was killed, and does not restart it. */
function watch(name: string, ended: Promise<unknown>): void {
  void ended.then((how) => {
    if (!isStopping) say(`${name} exited${how === undefined ? "" : ` (${how})`}.`);
  });
}

/** Waits until all have started or failed before it throws, so that started ones can be ended. */
async function all(starting: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(starting);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  if (isStopping) throw new ChildError("The cluster was stopped while it was starting.");
}

/** Stops the cluster. A second call kills at once what is still running. */
async function stop(code: number): Promise<void> {
  const signal = isStopping ? "SIGKILL" : "SIGTERM";
  isStopping = true;
  if (signal === "SIGTERM") say("Stopping; press Ctrl-C again to end the tasks of farm nodes too.");
  for (const group of [nodes, servers]) {
    for (const child of group) child.kill(signal);
    await Promise.all(group.map(({ ended }) => ended));
  }
  store?.close();
  await store?.ended;
  process.exit(code);
}

function origin(port: number, node: number): string {
  return `http://${host}:${enginePort(port, node)}`;
}

function welcome(dataDir: string, port: number): string {
  const line = ({ name, pid }: Child) => `  ${name.padEnd(16)}process ${pid}\n`;
  const byName = (a: Child, b: Child) => (a.name < b.name ? -1 : 1);
  const children = [...nodes.sort(byName), ...servers.sort(byName)];
  const second = `KLIEG_URL=${origin(port, 1)} npx klieg`;
  return `The cluster runs: engine nodes at ${origin(port, 0)} and ${origin(port, 1)},
objects in ${store?.kind} at ${store?.endpoint}, NATS at ${natsUrl(port)}.

${children.map(line).join("")}
Data, logs and secrets are in ${dataDir}, closed to others; the first credential in admin-token.
From another terminal, in this folder:

  export KLIEG_DATA_DIR=${dataDir}
  npx klieg generate image "a red kite over dunes" -o kite.png
  ${second} jobs   # the same job, through the second node
  kill -9 ${children[0]?.pid}   # the first node; the second goes on within some six seconds
  ${second} generate image "a green kite" -o green.png

Control-C ends all of it; the same command goes on with what is there.
`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function isForOperator(error: unknown): error is Error {
  return error instanceof SettingsError || error instanceof ChildError;
}
