/** Runs the real service as a child process, on a free port and a data directory of the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { freePort } from "../http/raw-http.ts";

export const firstToken = "the-first-token-of-the-crash-tests";
/** The folder of the compiled sources. */
export const ownBuild = join(import.meta.dirname, "..", "..");

export type Environment = Readonly<Record<string, string>>;

const common: Environment = {
  UV_THREADPOOL_SIZE: "32",
  UWS_HTTP_MAX_HEADERS_SIZE: "32768",
  KLIEG_SIM: "1",
  KLIEG_RATE_LIMITS: "off",
  KLIEG_FARM_WORKERS: "0",
  KLIEG_LOG_LEVEL: "fatal",
  KLIEG_BOOTSTRAP_TOKEN: firstToken,
  KLIEG_OPERATOR_PORT: "0",
};

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Klieg {
  readonly port: number;
  /** What the start printed. */
  readonly greeting: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the process is gone. */
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<Ended>;
}

/** Resolves when the service is ready; throws its output if it ended instead. */
export async function startKlieg(
  t: Test,
  dataDir: string,
  more: Environment = {},
  build = ownBuild,
): Promise<Klieg> {
  const port = await freePort();
  const { child, ended, said } = launch(dataDir, port, more, [], build);
  t.teardown(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const greeting = await Promise.race([said("serves"), ended.then(() => undefined)]);
  if (greeting === undefined) throw new Error(`the service did not start: ${(await ended).stderr}`);
  return {
    port,
    greeting,
    child,
    ended,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Expects the start to fail; `command` wraps the call of Node, if given. */
export async function startAndFail(
  t: Test,
  dataDir: string,
  more: Environment = {},
  port?: number,
  command: readonly string[] = [],
  build = ownBuild,
): Promise<Ended> {
  const { child, ended, said } = launch(dataDir, port ?? (await freePort()), more, command, build);
  t.teardown(() => void child.kill("SIGKILL"));
  await Promise.race([ended, said("serves")]);
  child.kill("SIGKILL");
  return ended;
}

/** Sends SIGTERM as soon as the service touches its data directory, before its shards are open. */
export async function startAndInterrupt(t: Test, dataDir: string): Promise<Ended> {
  const { child, ended } = launch(dataDir, await freePort(), {});
  const watcher = watch(dataDir);
  t.teardown(() => void child.kill("SIGKILL"));
  await Promise.race([once(watcher, "change"), ended]);
  watcher.close();
  child.kill("SIGTERM");
  return ended;
}

function launch(
  dataDir: string,
  port: number,
  more: Environment,
  command: readonly string[] = [],
  build = ownBuild,
) {
  const entry = join(build, "http", "main.js");
  const env = { ...common, KLIEG_DATA_DIR: dataDir, KLIEG_PORT: `${port}`, ...more };
  const [name = "", ...args] = [...command, process.execPath, entry];
  const child = spawn(name, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  let hear = () => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    hear();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stdout, stderr }));
  const say = (text: string) =>
    new Promise<string>((resolve) => {
      hear = () => {
        if (stdout.includes(text)) resolve(stdout);
      };
    });
  return { child, ended, said: say };
}

/** Checks that a failed start ends with exit code 1 and one sentence that names the remedy. */
export function isOneSentence(t: Test, { code, stdout, stderr }: Ended, remedy: RegExp): void {
  t.equal(code, 1);
  t.equal(stdout, "");
  t.match(stderr, /^[^\n]+\.\n$/, "one line that ends with a full stop");
  t.notMatch(stderr, /^\s+at |node:internal/m, "no stack");
  t.match(stderr, remedy);
}
