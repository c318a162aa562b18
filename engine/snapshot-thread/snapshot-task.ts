import type { ObjectStore } from "../../config/settings.ts";
import type { SnapshotOrigin } from "../shard/snapshot.ts";

/** Input of the thread that makes a snapshot. */
export interface SnapshotTask {
  readonly dataDir: string;
  readonly objectStore: ObjectStore | undefined;
  /** Path of the shard's tables. */
  readonly tables: string;
  readonly origin: SnapshotOrigin;
}
