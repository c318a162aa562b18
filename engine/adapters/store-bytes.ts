import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Counts the bytes of a data directory's journals and tables, except files removed meanwhile;
 * undefined when a folder cannot be listed.
 */
export async function storeBytes(dataDir: string): Promise<number | undefined> {
  try {
    const folders = (await readdir(dataDir)).filter((name) => /^shard-/.test(name));
    const sums = await Promise.all(folders.map((name) => bytesIn(join(dataDir, name))));
    return sums.reduce((sum, bytes) => sum + bytes, 0);
  } catch {
    return undefined;
  }
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const sizes = entries.map(async (entry) => {
    if (!entry.isFile()) return 0;
    // Tables count with the blocks that were written, not with the reserved file size.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    return found === undefined ? 0 : found.blocks * 512;
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
