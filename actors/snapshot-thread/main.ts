/** The thread that makes a snapshot, beside its shard's: of what the tables durably hold. */
import { openTableView } from "../../engine/adapters/lmdb.ts";
import { openObjects } from "../../engine/adapters/objects/open-objects.ts";
import type { Snapshot } from "../../engine/ports/snapshots.ts";
import { writeSnapshot } from "../../engine/shard/snapshot.ts";
import type { SnapshotTask } from "./snapshot-task.ts";

/** Throws `PortError`. */
export async function run({ dataDir, objectStore, ...task }: SnapshotTask): Promise<Snapshot> {
  const objects = await openObjects(dataDir, objectStore);
  const view = openTableView(task.tables);
  try {
    return await writeSnapshot(view, objects, task.origin);
  } finally {
    await view.close();
  }
}
