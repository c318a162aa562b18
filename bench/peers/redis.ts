/** Redis as a peer of equal durability: it flushes to the disk before it answers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { endChild, freePort } from "../service/server-process.ts";

const readyMs = 10_000;

export interface RedisServer {
  readonly port: number;
  readonly pid: number;
  readonly close: () => Promise<void>;
}

export async function startRedis(folder: string): Promise<RedisServer> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, ...durable];
  const child = spawn("redis-server", args, { stdio: "ignore" });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", () =>
      reject(new Error("there is no redis-server (npm run bench gets it)")),
    );
  });
  await Promise.race([once(child, "spawn"), failed]);
  const until = performance.now() + readyMs;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > until) {
      await endChild(child);
      throw new Error("redis-server did not start");
    }
    await pause(50);
  }
  return { port, pid: child.pid ?? 0, close: () => endChild(child) };
}

export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
