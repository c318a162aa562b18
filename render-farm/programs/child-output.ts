import { type ChildProcess, spawn } from "node:child_process";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PortError } from "../../engine/ports/port-error.ts";
import { pipePrefix } from "../fence/own-folders.ts";
import { type Command, isUnstarted, notStarting, runChild } from "./child-process.ts";

/**
 * A program's standard output, read straight into buffers of the reader's own: pictures by the
 * hundred megabytes would else all be garbage. The program waits for its reader.
 */
export class ChildOutput {
  readonly #pipe: FileHandle;
  readonly #command: Command;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #timer: NodeJS.Timeout;

  private constructor(command: Command, pipe: FileHandle, child: ChildProcess) {
    this.#command = command;
    this.#pipe = pipe;
    this.#child = child;
    this.#timer = setTimeout(this.#kill, command.timeoutMs);
    command.signal.addEventListener("abort", this.#kill, { once: true });
    if (command.signal.aborted) this.#kill();
    this.#ended = new Promise((resolve) => {
      child.once("error", () => resolve(null));
      child.once("exit", resolve);
    });
  }

  /** Throws `PortError` where no pipe can be made. */
  static async open(command: Command): Promise<ChildOutput> {
    const { path, args, signal } = command;
    const folder = await mkdtemp(join(tmpdir(), pipePrefix));
    try {
      const name = join(folder, "pipe");
      const fault = "a pipe could not be made";
      await runChild({ path: "mkfifo", args: [name], signal, timeoutMs: 30_000, fault });
      // While both ends are open neither waits for the other.
      const both = await open(name, "r+");
      const [reader, writer] = await Promise.all([open(name, "r"), open(name, "w")]);
      const child = spawn(path, args, { env: {}, stdio: ["ignore", writer.fd, "ignore"] });
      await Promise.all([both.close(), writer.close()]);
      return new ChildOutput(command, reader, child);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Whether `bytes` could be filled; the output has ended otherwise. Throws `PortError`. */
  async fill(bytes: Buffer): Promise<boolean> {
    for (let filled = 0; filled < bytes.length; ) {
      const { bytesRead } = await this.#pipe.read(bytes, filled, bytes.length - filled, null);
      filled += bytesRead;
      if (bytesRead > 0) continue;
      const code = await this.#ended;
      const { signal, fault } = this.#command;
      if (signal.aborted) throw new PortError("the task was stopped", true);
      if (isUnstarted(code)) throw notStarting(this.#command, undefined);
      if (code !== 0) throw new PortError(fault, code === null);
      return false;
    }
    return true;
  }

  /** Ends the program. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#command.signal.removeEventListener("abort", this.#kill);
    this.#kill();
    await this.#ended;
    await this.#pipe.close();
  }

  #kill = (): void => void this.#child.kill("SIGKILL");
}
