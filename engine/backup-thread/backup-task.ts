/** What the thread that writes a backup and the one that holds the shards say to each other. */
import type { MessagePort } from "node:worker_threads";

/** The thread is ready to look; it has looked. */
export type FromBackupThread = "ready" | "seen";

/** The shards are held; what it has seen was one instant; why it never will be. */
export type ToBackupThread =
  | { readonly kind: "held" | "released" }
  | { readonly kind: "given_up"; readonly why: string };

export interface BackupTask {
  readonly dataDir: string;
  readonly shardCount: number;
  /** The store's id. */
  readonly store: string;
  /** Where it is written. */
  readonly folder: string;
  readonly areObjectsOnDisk: boolean;
  readonly port: MessagePort;
}

/** A thread's errors lose their kind on the way. */
export type BackupEnd = { readonly summary: BackupSummary } | { readonly fault: string };

/** What a backup holds. */
export interface BackupSummary {
  readonly rowBytes: number;
  /** Undefined when they are in a bucket. */
  readonly objects: { readonly count: number; readonly bytes: number } | undefined;
}
