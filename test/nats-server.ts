/** A server of NATS of a test's own, on this machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Test } from "tap";

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** With SIGKILL. */
  kill(): Promise<void>;
  /** After `kill`, at the same port. */
  restart(): Promise<void>;
}

export interface NatsOptions {
  /** Lines of its configuration. */
  readonly config?: string;
  readonly hasJetStream?: boolean;
}

/** Ends with the test, or with this process. */
export async function startNats(t: Test, options: NatsOptions = {}): Promise<NatsServer> {
  const server = await startNatsIn(t.testdir({ nats: {} }), options);
  t.teardown(() => server.kill());
  return server;
}

/** In a folder of its own; ends with this process at the latest. */
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
    async restart() {
      server = await start();
    },
  };
}

/** Ready when it says so; the kernel kills it when this process is gone. */
async function startServer(args: readonly string[]) {
  const mortal = ["--pdeathsig", "KILL", "--", "nats-server"];
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

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}
