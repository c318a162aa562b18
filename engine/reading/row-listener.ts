import type { Key } from "../key.ts";

/** Notified of changed rows, before any reply that depends on them. */
export interface RowListener {
  /** False while no change of that shard matters: its records are then not read. */
  listens(shard: number): boolean;
  changed(key: Key): void;
  /** The shard has opened: any of its rows may have changed unnoticed. */
  missed(shard: number): void;
  /** Its rows are not read here any more: another node owns it. */
  left(shard: number): void;
  /** A reader outside of a request threw. */
  failed(error: unknown): void;
}
