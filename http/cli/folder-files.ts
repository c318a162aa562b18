import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "./command.ts";

/**
 * The files of a folder by their paths in a bundle, links followed; hidden ones and `node_modules`
 * are none of them. Throws `CommandError` when it cannot be read.
 */
export async function folderFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  await addFiles(folder, "", [], files);
  return files;
}

async function addFiles(
  folder: string,
  prefix: string,
  above: readonly string[],
  files: Map<string, string>,
): Promise<void> {
  const unreadable = (what: string) => (cause: unknown) => {
    throw Object.assign(new CommandError(`${what} cannot be read.`), { cause });
  };
  const place = await realpath(folder).catch(unreadable(folder));
  if (above.includes(place)) throw new CommandError(`${folder} is a link to what holds it.`);
  const names = await readdir(folder).catch(unreadable(folder));
  for (const name of names.filter((one) => !isLeftOut(one)).sort()) {
    const file = join(folder, name);
    const found = await stat(file).catch(unreadable(file));
    const path = `${prefix}${name}`;
    if (found.isFile()) files.set(path.normalize("NFC"), file);
    else if (found.isDirectory()) await addFiles(file, `${path}/`, [...above, place], files);
  }
}

function isLeftOut(part: string): boolean {
  return part.startsWith(".") || part === "node_modules";
}
