import type { ObjectStore } from "../../config/settings.ts";
import type { SnapshotOrigin } from "../shard/snapshot.ts";

/** What the thread that makes a snapshot is given. */
export interface SnapshotTask {
  readonly dataDir: string;
  readonly objectStore: ObjectStore | undefined;
  /** The folder of the shard's tables. */
  readonly tables: string;
  readonly origin: SnapshotOrigin;
}
