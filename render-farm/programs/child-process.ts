import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { basename } from "node:path";
import type { Writable } from "node:stream";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";

/**
 * Programs that the farm runs on media: no shell, no environment, bounded in time and output,
 * killed when the task is over.
 *
 * 1. Standard error goes only into the fault's cause: `fault` is the sentence that a client may
 *    read.
 * 2. A program that ends with a code refused its input, and a retry does not help; one that was
 *    killed (memory, time) or did not start may be tried again.
 */
export interface Command {
  readonly path: string;
  /** Name of the program that is run, if `path` only launches it. */
  readonly name?: string;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly fault: string;
  readonly cwd?: string;
  /** Receives the standard output as it comes, in which case it is not collected. */
  readonly onOutput?: (text: string) => void;
  /**
   * Chunks for standard input; an error thrown by this source is passed on. A chunk may be reused
   * as soon as the next one is requested.
   */
  readonly stdin?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** One run of a program, from its start to its end. `end` must be called, whatever happens. */
export class Child {
  readonly process: ChildProcess;
  private readonly command: Command;
  private readonly exit: Promise<number | null>;
  private readonly timer: NodeJS.Timeout;
  /** The program's standard error, or the reason why it did not start. */
  private said: unknown = "";

  constructor(command: Command, stdio: StdioOptions) {
    const { path, args, signal, timeoutMs, cwd } = command;
    this.command = command;
    this.process = spawn(path, args, { env: {}, stdio, ...omitUndefined({ cwd }) });
    this.timer = setTimeout(this.kill, timeoutMs);
    signal.addEventListener("abort", this.kill, { once: true });
    if (signal.aborted) this.kill();
    this.process.stderr?.on("data", (chunk: Buffer) => {
      this.said = `${this.said}${chunk.toString("utf8")}`.slice(-limits.media.toolFaultMax);
    });
    this.exit = new Promise((resolve) => {
      this.process.once("error", (failure) => {
        this.said = failure;
        resolve(notFound);
      });
      this.process.once("close", resolve);
    });
  }

  readonly kill = (): void => void this.process.kill("SIGKILL");

  /** Resolves when the program has succeeded. Throws `PortError` when it fails. */
  async success(): Promise<void> {
    const code = await this.exit;
    const { path, name = basename(path), signal, fault } = this.command;
    if (signal.aborted) throw new PortError("the task was stopped", true);
    if (code === notExecutable || code === notFound)
      throw new PortError(`${name} does not start on this farm node`, true, this.said);
    if (code !== 0) throw new PortError(fault, code === null, this.said);
  }

  /** Resolves when the program has ended, if necessary by force. */
  async end(): Promise<void> {
    clearTimeout(this.timer);
    this.command.signal.removeEventListener("abort", this.kill);
    this.kill();
    await this.exit;
  }
}

/** Exit codes of a launcher that could not start its program (`env`, POSIX). */
const notExecutable = 126;
const notFound = 127;

/** Resolves with the standard output of a program that succeeded. Throws `PortError` otherwise. */
export async function runChild(command: Command): Promise<Buffer> {
  const { stdin, signal, fault, onOutput } = command;
  const child = new Child(command, [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"]);
  const output: Buffer[] = [];
  let outputBytes = 0;
  child.process.stdout?.on("data", (chunk: Buffer) => {
    if (onOutput !== undefined) return onOutput(chunk.toString("latin1"));
    outputBytes += chunk.length;
    if (outputBytes > limits.media.toolOutputMax) child.kill();
    else output.push(chunk);
  });
  try {
    const fed = stdin === undefined ? undefined : feed(stdin, child);
    // An error of the source comes first: the program's failure is only its consequence.
    const [source, program] = await Promise.allSettled([fed, child.success()]);
    if (source.status === "rejected") throw source.reason;
    if (outputBytes > limits.media.toolOutputMax && !signal.aborted)
      throw new PortError(`${fault} (too much output)`, false);
    if (program.status === "rejected") throw program.reason;
    return Buffer.concat(output);
  } finally {
    await child.end();
  }
}

/** Yields a program's standard output; the program waits for its reader. Throws `PortError`. */
export async function* streamChild(
  command: Omit<Command, "stdin" | "onOutput">,
): AsyncGenerator<Buffer> {
  const child = new Child(command, ["ignore", "pipe", "pipe"]);
  try {
    for await (const chunk of child.process.stdout ?? []) yield chunk;
    await child.success();
  } finally {
    await child.end();
  }
}

async function feed(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  child: Child,
): Promise<void> {
  try {
    const stdin = child.process.stdin as Writable;
    // This listener only prevents an unhandled error: each failed write rejects on its own.
    stdin.on("error", () => undefined);
    for await (const chunk of source) await writeChunk(stdin, chunk);
    stdin.end();
  } catch (failure) {
    child.kill();
    // The program closed its end of the pipe, and its exit status tells why.
    if (!isPipeEnd(failure)) throw failure;
  }
}

function writeChunk(stdin: Writable, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stdin.write(chunk, (fault) => (fault ? reject(fault) : resolve()));
  });
}

function isPipeEnd(failure: unknown): boolean {
  const code = failure instanceof Error && "code" in failure ? failure.code : undefined;
  return code === "EPIPE" || code === "ECONNRESET" || code === "ERR_STREAM_DESTROYED";
}
