/** Peers that answer the same requests over HTTP, each a process with the servers it needs. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoadTarget, NamedProcess } from "../load/by-turns.ts";
import type { Setting } from "../scenario.ts";
import { endChild } from "../service/server-process.ts";
import { installPeer } from "./packages.ts";
import { startRedis } from "./redis.ts";

export interface HttpPeer extends Pick<LoadTarget, "name" | "lacks" | "origin" | "processes"> {
  readonly close: () => Promise<void>;
}

interface PeerPlace {
  readonly setting: Setting;
  /** Folder for the peer's data, on the disk that the service writes to. */
  readonly folder: string;
  /** Body with which every request is answered. */
  readonly body: string;
}

const openers = {
  "bare-uws": openBareUws,
  "fastify-bullmq": (place: PeerPlace) => openBullmq("fastify", place),
  "uws-bullmq": (place: PeerPlace) => openBullmq("uws", place),
} as const;

export type HttpPeerName = keyof typeof openers;

export interface OpenedPeers {
  readonly peers: readonly HttpPeer[];
  /** Reasons why peers are missing. */
  readonly lines: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens the peers (none beside a remote service). A peer that fails is reported and left out. */
export async function openHttpPeers(
  names: readonly HttpPeerName[],
  place: PeerPlace,
): Promise<OpenedPeers> {
  const peers: HttpPeer[] = [];
  const lines: string[] = [];
  for (const name of place.setting.isRemote ? [] : names)
    try {
      peers.push(await openers[name](place));
    } catch (fault) {
      const reason = fault instanceof Error ? fault.message : String(fault);
      lines.push(`${name} is missing: ${reason}`);
      place.setting.say(`${name} is missing: ${reason}`);
    }
  const close = async () => {
    for (const peer of peers) await peer.close();
  };
  return { peers, lines, close };
}

async function openBareUws({ folder, body }: PeerPlace): Promise<HttpPeer> {
  const file = join(folder, "bare-uws.json");
  await writeFile(file, body);
  const { origin, pid, close } = await startServer(join(import.meta.dirname, "bare-uws.js"), [
    file,
  ]);
  return {
    name: "bare uWS",
    lacks: "parses a request and answers the same bytes; it checks, stores and signs nothing",
    origin,
    processes: [{ name: "server", pid }],
    close,
  };
}

async function openBullmq(
  server: "fastify" | "uws",
  { setting, folder, body }: PeerPlace,
): Promise<HttpPeer> {
  const packages = await installPeer("bullmq", setting);
  const name = server === "uws" ? "uWS + BullMQ" : "fastify + BullMQ";
  const redis = await startRedis(join(folder, `redis-${server}`));
  try {
    const file = join(folder, `${server}.json`);
    await writeFile(file, body);
    const script = join(packages, "server.mjs");
    const { origin, pid, close } = await startServer(script, [server, `${redis.port}`, file]);
    const processes: NamedProcess[] = [
      { name: "server", pid },
      { name: "redis", pid: redis.pid },
    ];
    return {
      name,
      lacks:
        "only adds a job to Redis (append-only file, flushed before the answer): no credentials, " +
        "checks, credits, duplicates, quotas or listings, and no worker that runs the job",
      origin,
      processes,
      close: async () => {
        await close();
        await redis.close();
      },
    };
  } catch (fault) {
    await redis.close();
    throw fault;
  }
}

/** Starts a script that reports the port it listens at to its parent. */
async function startServer(script: string, args: readonly string[]) {
  const child = fork(script, [...args]);
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${script} ended.`)));
  const [message] = await Promise.race([once(child, "message"), ended]);
  if (child.pid === undefined) throw new Error(`${script} has no process.`);
  const close = () => endChild(child);
  return { origin: `http://127.0.0.1:${message.port}`, pid: child.pid, close };
}
