/**
 * A cluster of real processes on loopback: three engine nodes, three servers of NATS that are
 * reached through relays alone, two farm nodes, and Debian's Swift. With the durability `local` the
 * engine nodes are three services by themselves, which share NATS and the farm nodes.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findTakenPort } from "../../cli/cluster/places.ts";
import { type Swift, serveSwift } from "../../config/cluster/swift.ts";
import { ownBuild } from "../crash/klieg-process.ts";
import { type Kind, kinds, memberCounts } from "./faults.ts";
import { Member } from "./member.ts";
import { type NatsPorts, Network } from "./network.ts";
import type { ChaosOptions } from "./options.ts";

const host = "127.0.0.1";
export const firstToken = "the-first-token-of-the-chaos-cluster";
/** Number of shards; each has a thread on every node. */
export const shardCount = 2;
const accessKey = "klieg:chaos";
const secretKey = "secret-of-the-chaos-cluster";

/** Number of ports in use: two for each engine node and two for each NATS server. */
const portsTaken = 2 * (memberCounts.engine + memberCounts.nats);

export interface EngineNode {
  readonly member: Member;
  readonly origin: string;
}

export interface Readiness {
  readonly status: number;
  readonly text: string;
}

export class Cluster {
  readonly members: readonly Member[];
  readonly network: Network;
  readonly nodes: readonly EngineNode[];
  /** The engine nodes, grouped by the store that they serve. */
  readonly stores: readonly (readonly EngineNode[])[];
  private readonly swift: Swift;

  private constructor(
    parts: Pick<Cluster, "members" | "network" | "nodes" | "stores">,
    swift: Swift,
  ) {
    this.members = parts.members;
    this.network = parts.network;
    this.nodes = parts.nodes;
    this.stores = parts.stores;
    this.swift = swift;
  }

  /** Resolves when all members have been started. */
  static async open(folder: string, options: ChaosOptions): Promise<Cluster> {
    const first = await freePorts();
    const servers = numbers(memberCounts.nats).map(
      (index): NatsPorts => ({ client: first + 6 + 2 * index, route: first + 7 + 2 * index }),
    );
    const swift = await serveSwift({ accessKey, secretKey });
    const network = await Network.open(servers);
    const common = { folder, options, network, endpoint: swift.endpoint };
    const engines = numbers(memberCounts.engine).map((index) => ({
      member: engineNode(common, index, first + 2 * index),
      origin: `http://${host}:${first + 2 * index}`,
    }));
    const members = [
      ...engines.map(({ member }) => member),
      ...servers.map((ports, index) => natsServer(common, index, ports)),
      ...numbers(memberCounts.farm).map((index) => farmNode(common, index)),
    ];
    for (const kind of ["nats", "engine", "farm"] as const)
      for (const member of members) if (member.kind === kind) member.start();
    const stores = options.durability === "local" ? engines.map((node) => [node]) : [engines];
    return new Cluster({ members, network, nodes: engines, stores }, swift);
  }

  member(kind: Kind, index: number): Member {
    const member = this.members.find((each) => each.kind === kind && each.index === index);
    if (member === undefined) throw new Error(`There is no ${kind}-${index}.`);
    return member;
  }

  /** Readiness that each engine node reports; status 0 when it does not answer. */
  readiness(): Promise<readonly Readiness[]> {
    return Promise.all(
      this.nodes.map(async ({ origin }) => {
        try {
          const reply = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(1_000) });
          return { status: reply.status, text: await reply.text() };
        } catch (error) {
          return { status: 0, text: String((error as Error).cause ?? error) };
        }
      }),
    );
  }

  async isReady(patienceMs: number): Promise<boolean> {
    for (const until = process.uptime() + patienceMs / 1_000; process.uptime() < until; ) {
      const said = await this.readiness();
      if (said.every(({ status }) => status === 200)) return true;
      await delay(200);
    }
    return false;
  }

  /** Resolves when every process has ended; farm nodes end first, and their tasks with them. */
  async close(): Promise<void> {
    for (const kind of kinds.toReversed())
      await Promise.all(
        this.members
          .filter((member) => member.kind === kind)
          .map((member) => member.end("SIGKILL")),
      );
    this.network.close();
    await this.swift.close();
  }
}

interface Common {
  readonly folder: string;
  readonly options: ChaosOptions;
  readonly network: Network;
  /** URL of the object store. */
  readonly endpoint: string;
}

function engineNode({ folder, options, network, endpoint }: Common, index: number, port: number) {
  const isAlone = options.durability === "local";
  return new Member({
    kind: "engine",
    index,
    command: [process.execPath, join(ownBuild, "http", "main.js")],
    logFile: join(folder, `engine-${index}.log`),
    env: {
      PATH: process.env["PATH"],
      UV_THREADPOOL_SIZE: "32",
      UWS_HTTP_MAX_HEADERS_SIZE: "32768",
      KLIEG_SIM: "1",
      KLIEG_RATE_LIMITS: "off",
      KLIEG_FARM_WORKERS: "0",
      KLIEG_SHARDS: `${shardCount}`,
      KLIEG_BOOTSTRAP_TOKEN: firstToken,
      KLIEG_DATA_DIR: join(folder, `engine-${index}`),
      KLIEG_PORT: `${port}`,
      KLIEG_OPERATOR_PORT: "0",
      KLIEG_DURABILITY: options.durability,
      KLIEG_NATS_URL: natsUrl(network, `engine-${index}`),
      KLIEG_S3_ENDPOINT: endpoint,
      KLIEG_S3_BUCKET: isAlone ? `klieg-${index}` : "klieg",
      KLIEG_S3_ACCESS_KEY: accessKey,
      KLIEG_S3_SECRET_KEY: secretKey,
      ...(isAlone ? {} : { KLIEG_CLUSTER_ADDRESS: `${host}:${port + 1}` }),
    },
  });
}

function farmNode({ folder, network }: Common, index: number) {
  const name = `farm-${index}`;
  return new Member({
    kind: "farm",
    index,
    command: [process.execPath, join(ownBuild, "render-farm", "main.js")],
    logFile: join(folder, `${name}.log`),
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      KLIEG_NATS_URL: natsUrl(network, name),
      KLIEG_OPERATOR_PORT: "0",
    },
  });
}

function natsUrl(network: Network, name: string): string {
  return network
    .ports(name)
    .map((port) => `nats://${host}:${port}`)
    .join(",");
}

function natsServer({ folder, options, network }: Common, index: number, ports: NatsPorts) {
  const name = `nats-${index}`;
  const own = join(folder, name);
  mkdirSync(own);
  const routes = network.ports(name).map((port) => `"nats://${host}:${port}"`);
  const sync = hasSyncInterval(options.nats) ? ", sync_interval: always" : "";
  // NATS servers announce addresses to each other; these lead nowhere, so no relay is bypassed.
  const config = `server_name: ${name}
listen: "${host}:${ports.client}"
jetstream { store_dir: ${JSON.stringify(own)}${sync} }
cluster {
  name: klieg
  listen: "${host}:${ports.route}"
  no_advertise: true
  advertise: "${host}:1"
  routes: [${routes.join(", ")}]
}
`;
  const file = join(own, "nats.conf");
  writeFileSync(file, config);
  return new Member({
    kind: "nats",
    index,
    command: [options.nats, "-c", file],
    logFile: join(folder, `${name}.log`),
    env: { PATH: process.env["PATH"] },
  });
}

/** Known to servers since 2.10; `config/deploy/nats/server.conf` sets it there. */
function hasSyncInterval(nats: string): boolean {
  const [, major = 0, minor = 0] = /v(\d+)\.(\d+)/.exec(readVersion(nats)) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 10);
}

/** Returns the version line, such as `nats-server: v2.9.10`. */
export function readVersion(nats: string): string {
  return execFileSync(nats, ["--version"], { encoding: "utf8" }).trim();
}

/** Finds consecutive ports that the kernel never assigns to outgoing connections. */
async function freePorts(): Promise<number> {
  for (let first = 12_000 + (process.pid % 700) * portsTaken; ; first += portsTaken) {
    const ports = numbers(portsTaken).map((index) => first + index);
    if ((await findTakenPort(ports)) === undefined) return first;
  }
}

function numbers(count: number): number[] {
  return [...Array(count).keys()];
}
