/** The thread that makes a snapshot, beside its shard's: of what the tables durably hold. */
import { randomUUID } from "node:crypto";
import type { ObjectStore } from "../../config/settings.ts";
import { openTableView } from "../../engine/adapters/lmdb.ts";
import { openObjects } from "../../engine/adapters/objects/open-objects.ts";
import type { Snapshot } from "../../engine/ports/snapshots.ts";
import { writeSnapshot } from "../../engine/shard/snapshot.ts";

export interface SnapshotTask {
  readonly dataDir: string;
  readonly objectStore: ObjectStore | undefined;
  /** The folder of the shard's tables. */
  readonly tables: string;
  /** The store's id. */
  readonly store: string;
  readonly shard: number;
}

/** Throws `PortError`. */
export async function run({ dataDir, objectStore, ...task }: SnapshotTask): Promise<Snapshot> {
  const objects = await openObjects(dataDir, objectStore);
  const view = openTableView(task.tables);
  try {
    const { store, shard } = task;
    return await writeSnapshot(view, objects, { store, shard, nonce: randomUUID() });
  } finally {
    await view.close();
  }
}
