import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { CommandError } from "./command.ts";

/**
 * The files of a folder by their paths in a bundle; hidden ones and `node_modules` are none of
 * them. Throws `CommandError` when it cannot be read.
 */
export async function folderFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (cause: unknown) => {
      throw Object.assign(new CommandError(`${folder} cannot be read.`), { cause });
    },
  );
  const files = new Map<string, string>();
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    const parts = relative(folder, file).split(sep);
    if (entry.isFile() && !parts.some(isLeftOut)) files.set(parts.join("/").normalize("NFC"), file);
  }
  return files;
}

function isLeftOut(part: string): boolean {
  return part.startsWith(".") || part === "node_modules";
}
