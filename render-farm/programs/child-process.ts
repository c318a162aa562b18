import { type ChildProcess, spawn } from "node:child_process";
import { basename } from "node:path";
import type { Writable } from "node:stream";
import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";

/**
 * Programs that the farm runs on media: no shell, no environment, bounded in time and output,
 * killed when the task is over.
 *
 * 1. Standard error goes only into the fault's cause: `fault` is the sentence that a client may
 *    read.
 * 2. A program that ends with a code refused its input, which no other attempt mends; one that was
 *    killed (memory, time) or did not start may be tried again.
 */
export interface Command {
  readonly path: string;
  /** Of the program that `path` leads to, if it is another. */
  readonly name?: string;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly fault: string;
  readonly cwd?: string;
  /** Learns its standard output as it comes, instead of collecting it. */
  readonly onOutput?: (text: string) => void;
  /**
   * Its standard input; a fault of this source passes through. A chunk is done with when the next
   * one is asked for.
   */
  readonly stdin?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Resolves with the standard output of a program that ended well. Throws `PortError`. */
export async function runChild(command: Command): Promise<Buffer> {
  const { path, args, signal, timeoutMs, cwd, stdin } = command;
  const child = spawn(path, args, {
    env: {},
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
  const kill = (): void => void child.kill("SIGKILL");
  const timer = setTimeout(kill, timeoutMs);
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    const ended = conclude(command, child);
    const fed = stdin === undefined ? undefined : feed(stdin, child, kill);
    // A fault of the source comes first: the program's own is only its consequence.
    const [source, program] = await Promise.allSettled([fed, ended]);
    if (source.status === "rejected") throw source.reason;
    if (program.status === "rejected") throw program.reason;
    return program.value;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}

function conclude(command: Command, child: ChildProcess): Promise<Buffer> {
  const { fault, signal, onOutput } = command;
  const output: Buffer[] = [];
  let outputBytes = 0;
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    if (onOutput !== undefined) return onOutput(chunk.toString("latin1"));
    outputBytes += chunk.length;
    if (outputBytes > limits.media.toolOutputMax) child.kill("SIGKILL");
    else output.push(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-limits.media.toolFaultMax);
  });
  return new Promise((resolve, reject) => {
    child.once("error", (failure) => reject(notStarting(command, failure)));
    child.once("close", (code) => {
      if (signal.aborted) reject(new PortError("the task was stopped", true));
      else if (outputBytes > limits.media.toolOutputMax)
        reject(new PortError(`${fault} (too much output)`, false));
      else if (code === 0) resolve(Buffer.concat(output));
      else
        reject(
          isUnstarted(code)
            ? notStarting(command, said)
            : new PortError(fault, code === null, said),
        );
    });
  });
}

/** The program's standard output as it comes; it waits for its reader. Throws `PortError`. */
export async function* streamChild(
  command: Omit<Command, "stdin" | "onOutput">,
): AsyncGenerator<Buffer> {
  const { path, args, signal, timeoutMs, fault } = command;
  const child = spawn(path, args, { env: {}, stdio: ["ignore", "pipe", "pipe"] });
  const kill = (): void => void child.kill("SIGKILL");
  const timer = setTimeout(kill, timeoutMs);
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", (failure) => reject(notStarting(command, failure)));
    child.once("close", resolve);
  });
  ended.catch(() => undefined);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-limits.media.toolFaultMax);
  });
  try {
    for await (const chunk of child.stdout) yield chunk;
    const code = await ended;
    if (signal.aborted) throw new PortError("the task was stopped", true);
    if (isUnstarted(code)) throw notStarting(command, said);
    if (code !== 0) throw new PortError(fault, code === null, said);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
    kill();
  }
}

async function feed(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  child: ChildProcess,
  kill: () => void,
): Promise<void> {
  try {
    const stdin = child.stdin as Writable;
    // Each write learns of its own fault.
    stdin.on("error", () => undefined);
    for await (const chunk of source) await written(stdin, chunk);
    stdin.end();
  } catch (failure) {
    kill();
    // The program closed its end: its own exit says why.
    if (!isPipeEnd(failure)) throw failure;
  }
}

function written(stdin: Writable, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stdin.write(chunk, (fault) => (fault ? reject(fault) : resolve()));
  });
}

function isPipeEnd(failure: unknown): boolean {
  const code = failure instanceof Error && "code" in failure ? failure.code : undefined;
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED";
}

/** What a program answers that should have become another and could not (`env`, POSIX). */
export function isUnstarted(code: number | null): boolean {
  return code === 126 || code === 127;
}

export function notStarting(
  { path, name = basename(path) }: Pick<Command, "path" | "name">,
  cause: unknown,
): PortError {
  return new PortError(`${name} does not start on this farm node`, true, cause);
}
