/**
 * A test's own NATS server on this machine. `TEST_NATS` names a program other than the
 * `nats-server` in the path.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Test } from "tap";
import { freePort } from "./http/raw-http.ts";

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Resolves when the server stands still, with its connections open; it does so until `kill`. */
  pause(): Promise<void>;
  /** Deletes what the server stored, after `kill`. */
  forget(): Promise<void>;
  /** Starts the server again at the same port, after `kill`. */
  restart(): Promise<void>;
}

export interface NatsOptions {
  /** Lines of the server's configuration. */
  readonly config?: string;
  readonly hasJetStream?: boolean;
  /** Folder of the server, for a test with several servers. */
  readonly folder?: string;
}

/** Starts a server that ends with the test, or with this process. */
export async function startNats(t: Test, options: NatsOptions = {}): Promise<NatsServer> {
  const folder = join(t.testdirName, options.folder ?? "nats-server");
  await forgetEarlier(folder);
  await mkdir(folder, { recursive: true });
  const server = await startNatsIn(folder, options);
  t.teardown(() => server.kill());
  return server;
}

/** Starts a server in a folder of its own; it ends with this process at the latest. */
export async function startNatsIn(folder: string, options: NatsOptions = {}): Promise<NatsServer> {
  const port = await freePort();
  const configFile = join(folder, "nats.conf");
  await writeFile(configFile, options.config ?? "");
  const storeDir = join(folder, "nats");
  const args = ["-c", configFile, "-a", "127.0.0.1", "-p", String(port)];
  if (options.hasJetStream === true) args.push("-js", "-sd", storeDir);
  const start = () => startServer(args);
  let server = await start();
  const kill = async () => {
    const ended = once(server, "exit");
    if (server.exitCode === null && server.signalCode === null && server.kill("SIGKILL"))
      await ended;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    kill,
    async pause() {
      server.kill("SIGSTOP");
      while (!(await isStopped(server.pid))) await turnOfTheLoop();
    },
    forget: () => rm(storeDir, { recursive: true, force: true }),
    async restart() {
      server = await start();
    },
  };
}

/** Whether all threads of a process have stopped; some may run on for a while after the signal. */
async function isStopped(pid: number | undefined): Promise<boolean> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder);
  const stats = await Promise.all(
    // A thread may end meanwhile; the next look does without it.
    threads.map((thread) => readFile(join(folder, thread, "stat"), "latin1").catch(() => "")),
  );
  return stats.every((stat) => stat.includes(") T "));
}

/** Starts three JetStream servers that replicate each other; they end as `startNats` says. */
export async function startNatsCluster(t: Test): Promise<readonly NatsServer[]> {
  await Promise.all([0, 1, 2].map((index) => forgetEarlier(serverFolder(t.testdirName, index))));
  const servers = await startNatsClusterIn(t.testdirName);
  for (const server of servers) t.teardown(() => server.kill());
  return servers;
}

/** Starts such servers, each in its own folder there; they end as `startNatsIn` says. */
export async function startNatsClusterIn(folder: string): Promise<readonly NatsServer[]> {
  const routePorts = await Promise.all([freePort(), freePort(), freePort()]);
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`).join(", ");
  return Promise.all(
    routePorts.map(async (port, index) => {
      const own = serverFolder(folder, index);
      await mkdir(own, { recursive: true });
      const cluster = `cluster { name: klieg, listen: "127.0.0.1:${port}", routes: [${routes}] }`;
      const config = `server_name: nats-${index}\n${cluster}\n`;
      return startNatsIn(own, { config, hasJetStream: true });
    }),
  );
}

function serverFolder(folder: string, index: number): string {
  return join(folder, `nats-${index}`);
}

/** Deletes the streams that an earlier run of the test may have left there. */
function forgetEarlier(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

const program = process.env["TEST_NATS"] ?? "nats-server";

/** Resolves when the server reports that it is ready; the kernel kills it with this process. */
async function startServer(args: readonly string[]) {
  const mortal = ["--pdeathsig", "KILL", "--", program];
  const server = spawn("setpriv", [...mortal, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr.on("data", (text: Buffer) => {
      said += text.toString();
      if (said.includes("Server is ready")) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(said)));
  });
  return server;
}
