/** Ports, folders and secrets of a cluster that runs on one machine. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

export const host = "127.0.0.1";
export const engineNodes = 2;
export const farmNodes = 2;
export const natsServers = 3;

/** Counted from the first node's port; each engine node uses three: clients, operator, nodes. */
export const portsTaken = 40;
export const enginePort = (first: number, node: number): number => first + 10 * node;
export const storePort = (first: number): number => first + 20;
/** Port of MinIO's own web page. */
export const storeConsolePort = (first: number): number => first + 21;
/** Port of a farm node's metrics. */
export const farmPort = (first: number, node: number): number => first + 25 + node;
export const natsPort = (first: number, server: number): number => first + 30 + server;
/** Port on which NATS servers connect to each other. */
export const natsRoutePort = (first: number, server: number): number => first + 35 + server;

/** Returns all ports that the cluster listens at. */
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

/** Returns the first port that is not free. */
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

/** NATS user of a farm node. */
export const farmUser = (node: number): string => `farm-${node + 1}`;

/** Creates a folder that other users cannot read. */
export function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  return path;
}

/** File of the key with which nodes sign what they forward. */
export const clusterKeyName = "cluster-key";

export interface Secrets {
  /** Token of the first account. */
  readonly token: string;
  readonly storeKey: string;
  readonly natsEngine: string;
  /** NATS passwords, one for each farm node. */
  readonly natsFarms: readonly string[];
  /** Password that NATS servers use among themselves. */
  readonly natsRoute: string;
}

/** Reads the secrets, which are generated at the first start. */
export function readSecrets(folder: string): Secrets {
  const secret = (name: string) => readSecret(join(folder, name));
  // Creates the cluster key; nodes read the file themselves.
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
