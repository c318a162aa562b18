/**
 * The folder on this machine in which an agent's program may read and write; only offered over
 * standard input and output. Paths are relative to the folder, and links may not lead out of it.
 */
import { openAsBlob } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { KliegError } from "../../clients/typescript/src/klieg.ts";
import { writeWhole } from "../output-file.ts";

export class AgentFolder {
  private readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Opens the folder; rejects when it does not exist. */
  static async open(path: string): Promise<AgentFolder> {
    return new AgentFolder(await realpath(path));
  }

  /** Returns a file, whose bytes are read only when needed. Throws `KliegError`. */
  async read(path: string): Promise<Blob> {
    const real = await realpath(this.place(path)).catch(() => undefined);
    const isFile = real !== undefined && this.holds(real) && (await stat(real)).isFile();
    if (!isFile) throw refusePath(path, "is not a file of the folder");
    return openAsBlob(real);
  }

  /** Writes a file that does not exist yet, and returns its full path. Throws `KliegError`. */
  async write(path: string, bytes: ReadableStream<Uint8Array>): Promise<string> {
    const place = this.place(path);
    if ((await lstat(place).catch(() => undefined)) !== undefined)
      throw refusePath(path, "is there already");
    const parent = await realpath(dirname(place)).catch(() => undefined);
    if (parent === undefined || (parent !== this.root && !this.holds(parent)))
      throw refusePath(path, "is in no folder that is there");
    await writeWhole(place, bytes);
    return place;
  }

  private place(path: string): string {
    const place = resolve(join(this.root, path));
    if (isAbsolute(path) || !this.holds(place)) throw refusePath(path, "leaves the folder");
    return place;
  }

  private holds(place: string): boolean {
    const way = relative(this.root, place);
    return way !== "" && way.split("/")[0] !== ".." && !isAbsolute(way);
  }
}

function refusePath(path: string, why: string): KliegError {
  return new KliegError(`${path} ${why}.`, { status: 400, code: "validation" });
}
