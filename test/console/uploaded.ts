/** Uploads compositions, made of given files or taken from the examples. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Klieg } from "../../clients/typescript/src/klieg.ts";

const examples = join(import.meta.dirname, "..", "..", "..", "examples");

export type FileBytes = Readonly<Record<string, Uint8Array>>;

export async function upload(klieg: Klieg, name: string, files: FileBytes) {
  const { id } = await klieg.compositions.create({ name });
  for (const [path, bytes] of Object.entries(files))
    await klieg.compositions.putFile(id, path, new Blob([Buffer.from(bytes)]));
  return klieg.compositions.get(id);
}

export async function exampleFiles(name: string): Promise<FileBytes> {
  const folder = join(examples, name);
  const files: Record<string, Uint8Array> = {};
  for (const path of await readdir(folder)) files[path] = await readFile(join(folder, path));
  return files;
}
