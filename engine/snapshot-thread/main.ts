/** Entry of the thread that makes a snapshot of what a shard's tables durably hold. */
import { openTableView } from "../adapters/lmdb.ts";
import { openObjects } from "../adapters/objects/open-objects.ts";
import type { Snapshot } from "../ports/snapshots.ts";
import { writeSnapshot } from "../shard/snapshot.ts";
import type { SnapshotTask } from "./snapshot-task.ts";

/** Stores a snapshot of the shard's tables. Throws `PortError`. */
export async function run({ dataDir, objectStore, ...task }: SnapshotTask): Promise<Snapshot> {
  const objects = await openObjects(dataDir, objectStore);
  const view = openTableView(task.tables);
  try {
    return await writeSnapshot(view, objects, task.origin);
  } finally {
    await view.close();
  }
}
