/** A program of the cluster: it ends when it is told to, and when this process is gone. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";

export interface ChildOptions {
  /** For the operator. */
  readonly name: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** All that it says is added there. */
  readonly logFile: string;
  /** What it says once it can be used; without it, it can at once. */
  readonly ready?: string;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** What ended it: a signal or an exit code. */
  readonly ended: Promise<string>;
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/** What did not start; the message is one sentence. */
export class ChildError extends Error {
  override readonly name = "ChildError";
}

/** Resolves when it can be used. Throws `ChildError`. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, command, env, logFile, ready } = options;
  // The kernel kills it when this thread is gone; in a session of its own Control-C passes it by.
  const mortal = ["--pdeathsig", "KILL", "--", ...command];
  const process = spawn("setpriv", mortal, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const log = createWriteStream(logFile, { flags: "a", mode: 0o600 });
  let said = "";
  let isReady = () => {};
  for (const stream of [process.stdout, process.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      log.write(text);
      if (ready === undefined) return;
      said = `${said}${text}`.slice(-10_000);
      if (said.includes(ready)) isReady();
    });
  const ended = once(process, "close").then(([code, signal]) => {
    log.end();
    return `${signal ?? `exit code ${code}`}`;
  });
  const readiness = new Promise<undefined>((resolve) => {
    isReady = () => resolve(undefined);
    if (ready === undefined) resolve(undefined);
  });
  const end = await Promise.race([readiness, ended.catch((error: Error) => error.message)]);
  if (end !== undefined || process.pid === undefined)
    throw new ChildError(`${name} did not start (${end}); ${logFile} says why.`);
  return { name, pid: process.pid, ended, kill: (signal) => void process.kill(signal) };
}
