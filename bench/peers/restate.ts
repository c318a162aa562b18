/**
 * A Restate server with its defaults, which flush its log before a call goes on. It comes as an npm
 * package under the Business Source License: it is run for comparison and never shipped.
 */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { endChild, freePort } from "../service/server-process.ts";

const readyMs = 30_000;

export interface RestateServer {
  /** Ports for calls and for administration. */
  readonly ports: readonly [number, number];
  readonly pid: number;
  readonly close: () => Promise<void>;
}

export async function startRestate(folder: string, packages: string): Promise<RestateServer> {
  const program = `restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  await mkdir(folder, { recursive: true });
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const child = spawn(
    join(packages, "node_modules/@restatedev", program),
    ["--base-dir", folder, "--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--no-logo"],
    {
      stdio: "ignore",
      env: {
        RESTATE_BIND_PORT: `${node}`,
        RESTATE_INGRESS__BIND_PORT: `${ingress}`,
        RESTATE_ADMIN__BIND_PORT: `${admin}`,
        RESTATE_DISABLE_TELEMETRY: "true",
        RESTATE_LOG_FILTER: "error",
      },
    },
  );
  const close = () => endChild(child);
  const until = performance.now() + readyMs;
  while (
    !(await isReady(
      `http://127.0.0.1:${admin}/health`,
      `http://127.0.0.1:${ingress}/restate/health`,
    ))
  ) {
    if (child.exitCode !== null || performance.now() > until) {
      await close();
      throw new Error("restate-server did not start");
    }
    await pause(100);
  }
  return { ports: [ingress, admin], pid: child.pid ?? 0, close };
}

async function isReady(...urls: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(urls.map((url) => fetch(url).catch(() => undefined)));
  return answers.every((answer) => answer?.ok === true);
}
