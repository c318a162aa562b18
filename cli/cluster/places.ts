/** Where the parts of the cluster of one machine are: ports, folders, secrets. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

export const host = "127.0.0.1";
export const engineNodes = 2;
export const farmNodes = 2;
export const natsServers = 3;

/** From the first node's port on: an engine node takes three, for clients, operator and nodes. */
export const portsTaken = 40;
export const enginePort = (first: number, node: number): number => first + 10 * node;
export const storePort = (first: number): number => first + 20;
/** MinIO's own page. */
export const storeConsolePort = (first: number): number => first + 21;
/** Of a farm node, for metrics. */
export const farmPort = (first: number, node: number): number => first + 25 + node;
export const natsPort = (first: number, server: number): number => first + 30 + server;
/** To each other. */
export const natsRoutePort = (first: number, server: number): number => first + 35 + server;

/** All that will be listened at. */
export function portsFrom(first: number): number[] {
  const engine = [...Array(engineNodes).keys()].map((node) => enginePort(first, node));
  const nats = [...Array(natsServers).keys()];
  return [
    ...engine.flatMap((port) => [port, port + 1, port + 2]),
    ...[storePort(first), storeConsolePort(first)],
    ...[...Array(farmNodes).keys()].map((node) => farmPort(first, node)),
    ...nats.flatMap((server) => [natsPort(first, server), natsRoutePort(first, server)]),
  ];
}

/** The first that is not free. */
export async function findTakenPort(ports: readonly number[]): Promise<number | undefined> {
  for (const port of ports) if (!(await isFree(port))) return port;
  return undefined;
}

async function isFree(port: number): Promise<boolean> {
  const listener = createServer().listen(port, host);
  try {
    await once(listener, "listening");
  } catch {
    return false;
  }
  listener.close();
  await once(listener, "close");
  return true;
}

/** The user of NATS of a farm node. */
export const farmUser = (node: number): string => `farm-${node + 1}`;

/** Closed to other users. */
export function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  return path;
}

/** With which nodes sign what they forward. */
export const clusterKeyName = "cluster-key";

export interface Secrets {
  /** Of the first account. */
  readonly token: string;
  readonly storeKey: string;
  readonly natsEngine: string;
  /** Of each farm node. */
  readonly natsFarms: readonly string[];
  /** Of servers of NATS to each other. */
  readonly natsRoute: string;
}

/** Drawn at the first start. */
export function readSecrets(folder: string): Secrets {
  const secret = (name: string) => readSecret(join(folder, name));
  // Nodes read it themselves.
  secret(clusterKeyName);
  return {
    token: secret("admin-token"),
    storeKey: secret("store-key"),
    natsEngine: secret("nats-engine"),
    natsFarms: [...Array(farmNodes).keys()].map((node) => secret(`nats-${farmUser(node)}`)),
    natsRoute: secret("nats-route"),
  };
}

function readSecret(file: string): string {
  if (!existsSync(file)) writePrivate(file, `${randomBytes(32).toString("base64url")}\n`);
  return readFileSync(file, "utf8").trim();
}

export function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flush: true });
}
