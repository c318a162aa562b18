/**
 * Writes a backup of a running store: each shard's tables as one object, and the objects of a
 * service that has them on the disk.
 *
 * The shards' tables are looked at while none commits (`http/cluster/one-instant.ts`), and read
 * afterwards as they were then. Rows name only objects that are stored already, so what they name
 * is among the objects that were there before that instant or are there just after it: objects are
 * copied twice, the second time only what has come since. One that is missing was removed after
 * that instant.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { type ListedObject, type Objects, volatileRoot } from "../../ports/objects.ts";
import { PortError } from "../../ports/port-error.ts";
import type { Snapshot } from "../../ports/snapshots.ts";
import { readPosition } from "../../shard/replica.ts";
import { writeSnapshot } from "../../shard/snapshot.ts";
import { formatVersion } from "../data-directory.ts";
import { openTableView } from "../lmdb.ts";
import { diskObjects } from "../objects/disk-objects.ts";
import { syncFolder } from "../segment-list.ts";
import {
  type BackedObjects,
  type Manifest,
  manifestName,
  objectsFolder,
  tokenName,
} from "./manifest.ts";

export interface BackupParts {
  readonly dataDir: string;
  readonly shardCount: number;
  /** Id of the store. */
  readonly store: string;
  /** Folder into which the backup is written. */
  readonly folder: string;
  readonly objectsPlace: BackedObjects["place"];
  /** Runs `look` while no shard commits, and again if the commits did not all pause at once. */
  readonly whileHeld: (look: () => Promise<void>) => Promise<void>;
}

type View = ReturnType<typeof openTableView>;

/** Writes a backup. Throws `PortError`; what was written by then is not a valid backup. */
export async function writeBackup(parts: BackupParts): Promise<Manifest> {
  const { dataDir, shardCount, store, folder, objectsPlace } = parts;
  makeEmpty(folder);
  const source = diskObjects(join(dataDir, "objects"));
  const target = diskObjects(join(folder, objectsFolder));
  if (objectsPlace === "disk") await copyObjects(source, target);
  const views: View[] = [];
  const shards: Snapshot[] = [];
  let atMs = 0;
  try {
    await parts.whileHeld(async () => {
      for (const view of views.splice(0)) await view.close();
      for (const name of shardNames(shardCount))
        views.push(openTableView(join(dataDir, name, "tables")));
      atMs = Math.max(...views.map((view) => readPosition(view).atMs));
    });
    if (objectsPlace === "disk") await copyObjects(source, target);
    const rows = diskObjects(folder);
    for (const [shard, view] of views.entries()) {
      const snapshot = await writeSnapshot(view, rows, { store, shard, nonce: "backup" });
      shards.push(snapshot);
    }
  } finally {
    for (const view of views) await view.close();
  }
  const objects: BackedObjects =
    objectsPlace === "disk" ? { place: "disk", ...(await countObjects(target)) } : { place: "s3" };
  keepToken(dataDir, folder);
  const manifest: Manifest = {
    kind: "klieg-backup",
    formatVersion,
    store,
    atMs,
    shards,
    objects,
  };
  await finish(folder, manifest);
  return manifest;
}

/** Returns the folders of shards in a data directory, the directory's last. */
export function shardNames(shardCount: number): string[] {
  const numbers = [...Array(shardCount).keys()].map((shard) => `shard-${shard}`);
  return [...numbers, "shard-directory"];
}

export async function countObjects(
  objects: Objects,
): Promise<{ readonly count: number; readonly bytes: number }> {
  let [count, bytes] = [0, 0];
  for await (const { sizeBytes } of objects.list()) {
    count++;
    bytes += sizeBytes;
  }
  return { count, bytes };
}

/** Objects never change, so one that exists with the same size is not copied again. */
export async function copyObjects(from: Objects, to: Objects): Promise<void> {
  for await (const object of from.list())
    if (!object.key.startsWith(`${volatileRoot}/`)) await copyObject(from, to, object);
}

async function copyObject(from: Objects, to: Objects, object: ListedObject): Promise<void> {
  const { key, sizeBytes } = object;
  if ((await to.stat(key))?.sizeBytes === sizeBytes) return;
  try {
    await to.put(key, from.read(key, { start: 0, end: sizeBytes }));
  } catch (error) {
    // The object was removed meanwhile.
    if ((await from.stat(key)) !== undefined) throw error;
  }
}

/** Requires or creates an empty folder; throws `PortError`. */
function makeEmpty(folder: string): void {
  let names: string[];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    names = readdirSync(folder);
  } catch (error) {
    throw new PortError(`${folder} cannot be written by the service`, false, error);
  }
  if (names.length > 0) throw new PortError(`${folder} is not empty`, false);
}

/** Copies the token; without it, the restored store would accept no requests from its operator. */
function keepToken(dataDir: string, folder: string): void {
  try {
    const token = readFileSync(join(dataDir, tokenName));
    writeFileSync(join(folder, tokenName), token, { mode: 0o600, flush: true });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

async function finish(folder: string, manifest: Manifest): Promise<void> {
  const file = join(folder, manifestName);
  writeFileSync(`${file}.new`, `${JSON.stringify(manifest)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  await syncFolder(folder);
}
