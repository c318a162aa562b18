import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { chmod, lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

const othersBits = 0o077;

/** Whether other users can access a folder or its direct entries. */
export function isOpenToOthers(folder: string): boolean {
  return isWide(folder) || readdirSync(folder).some((name) => isWide(join(folder, name)));
}

/** Closes the folder itself to others, and thereby everything below it. */
export function closeFolder(folder: string): void {
  chmodSync(folder, 0o700);
}

/**
 * Removes all rights of others from everything below a folder, one entry after the other. Links are
 * skipped, and so are entries that disappear meanwhile. Resolves to the number of entries changed.
 */
export async function makePrivate(folder: string): Promise<number> {
  let changed = 0;
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    try {
      const { mode } = await lstat(path);
      if (!entry.isSymbolicLink() && (mode & othersBits) !== 0) {
        await chmod(path, mode & 0o777 & ~othersBits);
        changed++;
      }
      if (entry.isDirectory()) changed += await makePrivate(path);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return changed;
}

function isWide(path: string): boolean {
  const found = lstatSync(path);
  return !found.isSymbolicLink() && (found.mode & othersBits) !== 0;
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
