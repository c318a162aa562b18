import type { Key } from "../key.ts";

/** Is notified of changed rows, before any reply that depends on them. */
export interface RowListener {
  /** Returns false while no change of the shard matters: its records are then not read. */
  listens(shard: number): boolean;
  onChange(key: Key): void;
  /** Called when the shard has opened: any of its rows may have changed unnoticed. */
  onMiss(shard: number): void;
  /** Called when another node owns the shard, so that its rows are no longer read here. */
  onLeave(shard: number): void;
  /** Called with an error that was thrown while rows were read outside a request. */
  onFailure(error: unknown): void;
}
