/** A program of the cluster: it ends on a signal, and when this process is gone. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";

export interface ChildOptions {
  /** Name shown to the operator. */
  readonly name: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** File to which all output of the program is appended. */
  readonly logFile: string;
  /** Output that shows that the program is ready; without it, the program is ready at once. */
  readonly ready?: string;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Resolves to what ended the program: a signal or an exit code. */
  readonly ended: Promise<string>;
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/** A program that did not start; the message is one sentence. */
export class ChildError extends Error {
  override readonly name = "ChildError";
}

/** Resolves when the program is ready. Throws `ChildError`. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { name, command, env, logFile, ready } = options;
  // The kernel kills it when this thread is gone; in its own session it does not get Control-C.
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
