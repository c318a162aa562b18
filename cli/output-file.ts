/**
 * Writes results to files. The path is checked before anything is charged, and a file appears whole
 * or not at all: bytes are written to a hidden file beside it, which is then renamed.
 */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Asset } from "../clients/typescript/src/generated/models.ts";
import type { Klieg } from "../clients/typescript/src/klieg.ts";
import { CommandError } from "./command.ts";

/** Stands for standard output in place of a file name. */
export const standardOutput = "-";

/** Throws `CommandError` if no file of this name can be written. */
export async function checkOutput(path: string): Promise<void> {
  if (path === standardOutput) return;
  const folder = dirname(path);
  const writable = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!writable)
    throw new CommandError(
      `${folder} is not a folder that can be written to; name another file with -o.`,
    );
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory())
    throw new CommandError(`${path} is a folder; name a file in it with -o.`);
}

/** Returns `kite.png` for one output, and `kite-1.png`, `kite-2.png` for several. */
export function outputPath(path: string, index: number, count: number): string {
  if (count === 1 || path === standardOutput) return path;
  const extension = extname(path);
  return join(dirname(path), `${basename(path, extension)}-${index + 1}${extension}`);
}

/** Saves an asset's file and returns its size in bytes. */
export async function saveAsset(client: Klieg, asset: Asset, path: string): Promise<number> {
  const { body } = await client.assets.download(asset);
  if (body === null) throw new CommandError(`The download of asset ${asset.id} was empty.`);
  return writeWhole(path, body);
}

async function print(body: ReadableStream<Uint8Array>): Promise<number> {
  let sizeBytes = 0;
  const reader = body.getReader();
  const numberPath = async function* () {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      sizeBytes += value.byteLength;
      yield value;
    }
  };
  await pipeline(numberPath, process.stdout, { end: false });
  return sizeBytes;
}

/** Writes a file whole or not at all, and returns its size in bytes. */
export async function writeWhole(path: string, body: ReadableStream<Uint8Array>): Promise<number> {
  if (path === standardOutput) return print(body);
  const partial = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  try {
    const file = await open(partial, "wx");
    let sizeBytes = 0;
    try {
      const reader = body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        await file.writeFile(value);
        sizeBytes += value.byteLength;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
    return sizeBytes;
  } catch (fault) {
    await rm(partial, { force: true });
    throw fault;
  }
}
