/** Messages between the thread that writes a backup and the thread that holds the shards. */
import type { MessagePort } from "node:worker_threads";

/** `ready`: the thread can start reading; `seen`: it has opened its view of the tables. */
export type FromBackupThread = "ready" | "seen";

/** `held`: the shards are held; `released`: what was seen is one instant; `given_up`: it is not. */
export type ToBackupThread =
  | { readonly kind: "held" | "released" }
  | { readonly kind: "given_up"; readonly why: string };

export interface BackupTask {
  readonly dataDir: string;
  readonly shardCount: number;
  /** Id of the store that is backed up. */
  readonly store: string;
  /** The folder into which the backup is written. */
  readonly folder: string;
  readonly areObjectsOnDisk: boolean;
  readonly port: MessagePort;
}

/** The backup's outcome; a fault is text, because errors lose their class between threads. */
export type BackupEnd = { readonly summary: BackupSummary } | { readonly fault: string };

/** Sizes of what a backup contains. */
export interface BackupSummary {
  readonly rowBytes: number;
  /** Count and size of the objects; undefined when they are in a bucket. */
  readonly objects: { readonly count: number; readonly bytes: number } | undefined;
}
