import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipePrefix } from "../fence/own-folders.ts";
import { Child, type Command, runChild } from "./child-process.ts";

/**
 * A program's standard output, read straight into buffers of the reader: otherwise pictures of
 * hundreds of megabytes would all become garbage. The program waits for its reader.
 */
export class ChildOutput {
  private readonly pipe: FileHandle;
  private readonly child: Child;

  private constructor(pipe: FileHandle, child: Child) {
    this.pipe = pipe;
    this.child = child;
  }

  /** Starts the program. Throws `PortError` where no pipe can be made. */
  static async open(command: Command): Promise<ChildOutput> {
    const { signal } = command;
    const folder = await mkdtemp(join(tmpdir(), pipePrefix));
    try {
      const name = join(folder, "pipe");
      const fault = "a pipe could not be made";
      await runChild({ path: "mkfifo", args: [name], signal, timeoutMs: 30_000, fault });
      // While one handle has both ends open, opening either end does not block.
      const both = await open(name, "r+");
      const [reader, writer] = await Promise.all([open(name, "r"), open(name, "w")]);
      const child = new Child(command, ["ignore", writer.fd, "ignore"]);
      await Promise.all([both.close(), writer.close()]);
      return new ChildOutput(reader, child);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Fills `bytes`; returns false when the output ended before that. Throws `PortError`. */
  async fill(bytes: Buffer): Promise<boolean> {
    for (let filled = 0; filled < bytes.length; ) {
      const { bytesRead } = await this.pipe.read(bytes, filled, bytes.length - filled, null);
      filled += bytesRead;
      if (bytesRead > 0) continue;
      await this.child.success();
      return false;
    }
    return true;
  }

  /** Ends the program. */
  async close(): Promise<void> {
    await this.child.end();
    await this.pipe.close();
  }
}
