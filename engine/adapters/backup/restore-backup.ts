/**
 * Restores a backup into an empty data directory. All data is verified as it is read, and the
 * directory becomes a store only once all of it is there.
 */
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { PortError } from "../../ports/port-error.ts";
import type { Snapshot } from "../../ports/snapshots.ts";
import { readPosition } from "../../shard/replica.ts";
import { readSnapshot } from "../../shard/snapshot.ts";
import { DataDirectoryError, restoreStore } from "../data-directory.ts";
import { openJournal } from "../file-journal.ts";
import { openTables } from "../lmdb.ts";
import { diskObjects } from "../objects/disk-objects.ts";
import { writePlace } from "../objects/objects-place.ts";
import { type Manifest, objectsFolder, readManifest, tokenName } from "./manifest.ts";
import { copyObjects, countObjects, shardNames } from "./write-backup.ts";

/** Restores a backup; throws `DataDirectoryError` with one sentence. */
export async function restoreBackup(folder: string, dataDir: string): Promise<Manifest> {
  const manifest = readManifest(folder);
  const { shards, objects } = manifest;
  const shardCount = shards.length - 1;
  await restoreStore(dataDir, shardCount, async () => {
    try {
      await bringObjects(manifest, folder, dataDir);
      for (const [shard, name] of shardNames(shardCount).entries())
        await bringRows(shards[shard], folder, join(dataDir, name));
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      throw new DataDirectoryError(
        `The backup in ${folder} is damaged: ${error.message}. Restore another.`,
        { cause: error },
      );
    }
    writePlace(dataDir, objects.place);
    const token = join(folder, tokenName);
    if (existsSync(token)) copyFileSync(token, join(dataDir, tokenName));
  });
  return manifest;
}

/** Copies the objects; throws `PortError`. */
async function bringObjects({ objects }: Manifest, folder: string, dataDir: string): Promise<void> {
  if (objects.place === "s3") return;
  const source = diskObjects(join(folder, objectsFolder));
  const { count, bytes } = await countObjects(source);
  if (count !== objects.count || bytes !== objects.bytes)
    throw new PortError(
      `it has ${count} objects with ${bytes} bytes, but should have ${objects.count} with ${objects.bytes}`,
      false,
    );
  await copyObjects(source, diskObjects(join(dataDir, "objects")));
}

/** Writes the rows of a snapshot; throws `PortError`. */
async function bringRows(
  snapshot: Snapshot | undefined,
  folder: string,
  target: string,
): Promise<void> {
  if (snapshot === undefined) throw new Error("each shard has rows");
  mkdirSync(target, { mode: 0o700 });
  const tables = openTables(join(target, "tables"));
  const journal = openJournal(join(target, "journal"));
  try {
    for await (const rows of readSnapshot(diskObjects(folder), snapshot)) await tables.write(rows);
    tables.refresh();
    await journal.restart(readPosition(tables).seq);
  } finally {
    await journal.close();
    await tables.close();
  }
}
