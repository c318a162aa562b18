import type { Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "./command.ts";

/**
 * Returns the files of a folder by their paths in a bundle. Links are followed; hidden files and
 * `node_modules` are left out. Throws `CommandError` when the folder cannot be read.
 */
export async function folderFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for await (const { path, file, stats } of walkFolder(folder, () => true))
    if (stats.isFile()) files.set(path, file);
  return files;
}

export interface Walked {
  /** Path in a bundle: a folder's ends with a slash; the first folder's is empty. */
  readonly path: string;
  /** Path at which the file was found; `place` is its path with all links followed. */
  readonly file: string;
  readonly place: string;
  readonly stats: Stats;
}

/** Walks files and folders as `folderFiles` does, but only into those that `mayEnter` allows. */
export async function* walkFolder(
  folder: string,
  mayEnter: (place: string) => boolean,
): AsyncGenerator<Walked, void> {
  yield* walk({ folder, prefix: "", above: [], mayEnter });
}

interface Walk {
  readonly folder: string;
  readonly prefix: string;
  readonly above: readonly string[];
  readonly mayEnter: (place: string) => boolean;
}

async function* walk({ folder, prefix, above, mayEnter }: Walk): AsyncGenerator<Walked, void> {
  const place = await realpath(folder).catch(unreadable(folder));
  if (above.includes(place))
    throw new CommandError(`${folder} contains a link to a folder that contains it.`);
  yield { path: prefix, file: folder, place, stats: await stat(place).catch(unreadable(folder)) };
  if (!mayEnter(place)) return;
  const entries = await readdir(place, { withFileTypes: true }).catch(unreadable(folder));
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries.filter(({ name }) => !isLeftOut(name))) {
    const file = join(folder, entry.name);
    const stats = await stat(file).catch(unreadable(file));
    const path = `${prefix}${entry.name}`;
    if (stats.isDirectory())
      yield* walk({ folder: file, prefix: `${path}/`, above: [...above, place], mayEnter });
    else if (stats.isFile()) {
      const isLink = entry.isSymbolicLink();
      const own = isLink ? await realpath(file).catch(unreadable(file)) : join(place, entry.name);
      yield { path: path.normalize("NFC"), file, place: own, stats };
    }
  }
}

function unreadable(what: string) {
  return (cause: unknown): never => {
    throw Object.assign(new CommandError(`${what} cannot be read.`), { cause });
  };
}

function isLeftOut(part: string): boolean {
  return part.startsWith(".") || part === "node_modules";
}
