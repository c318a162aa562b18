import type { Key } from "../key.ts";

/** Notified of changed rows, before any reply that depends on them. */
export interface RowListener {
  /** False while no change of that shard matters: its records are then not read. */
  listens(shard: number): boolean;
  onChange(key: Key): void;
  /** The shard has opened: any of its rows may have changed unnoticed. */
  onMiss(shard: number): void;
  /** Its rows are not read here any more: another node owns it. */
  onLeave(shard: number): void;
  /** A reader outside of a request threw. */
  onFailure(error: unknown): void;
}
