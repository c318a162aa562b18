/** A folder as a composition of the service. */
import { stat } from "node:fs/promises";
import { limits } from "../../../config/limits.ts";
import type { Client } from "../../client/client.ts";
import { CommandError } from "../command.ts";
import { archiveOf } from "../folder-archive.ts";
import { folderFiles } from "../folder-files.ts";

/** Throws `CommandError` for a folder that is no composition or too large, before it is sent. */
export async function bundleOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = await folderFiles(folder);
  if (!files.has("index.html")) throw new CommandError(`${folder} has no index.html.`);
  const { bytesMax, filesMax } = limits.compositions;
  let bytes = 0;
  for (const file of files.values()) bytes += (await stat(file)).size;
  if (files.size > filesMax || bytes > bytesMax)
    throw new CommandError(
      `${folder} has ${files.size} files of ${bytes} bytes; ` +
        `a composition has at most ${filesMax} of ${bytesMax}.`,
    );
  return files;
}

/** Into that composition, whose files are replaced, or a new one of that name; its id. */
export async function uploadFolder(
  client: Client,
  name: string,
  files: ReadonlyMap<string, string>,
  into: string | undefined,
): Promise<string> {
  const id = into ?? (await client.createComposition({ name })).id;
  await client.replaceBundle(id, () => archiveOf(files));
  return id;
}
