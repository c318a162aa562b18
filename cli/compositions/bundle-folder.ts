/** Reads a folder as the bundle of a composition, and sends it. */
import { stat } from "node:fs/promises";
import type { Composition } from "../../clients/typescript/src/generated/models.ts";
import type { Klieg } from "../../clients/typescript/src/klieg.ts";
import { limits } from "../../config/limits.ts";
import { CommandError } from "../command.ts";
import { folderFiles } from "../folder-files.ts";

/** Throws `CommandError` before sending a folder that is too large or no composition. */
export async function readBundle(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = await folderFiles(folder);
  if (!files.has("index.html")) throw new CommandError(`${folder} has no index.html.`);
  const { bytesMax, filesMax } = limits.compositions;
  let bytes = 0;
  for (const file of files.values()) bytes += (await stat(file)).size;
  if (files.size > filesMax || bytes > bytesMax)
    throw new CommandError(
      `${folder} has ${files.size} files of ${bytes} bytes; ` +
        `a composition may have at most ${filesMax} files and ${bytesMax} bytes.`,
    );
  return files;
}

/** Replaces the composition's bundle by these files, by path; throws `KliegError`. */
export async function sendBundle(
  { compositions }: Klieg,
  id: string,
  files: ReadonlyMap<string, string>,
): Promise<Composition> {
  const { createArchive } = await import("../folder-archive.ts");
  return compositions.replaceBundle(id, () => createArchive(files));
}
