/** Watchers that read rows again after each change, and when a shard that was down has opened. */
import type { Key } from "../key.ts";
import { eachWrite } from "../record.ts";
import { ShardDown } from "./shard-end.ts";

/** Reads rows and reports changes; an extra call is harmless. */
export type Look = () => void;

export class RowWatchers {
  private readonly byKey = new Map<Key, Set<Look>>();
  /** Watchers that found a shard down, and run again when one has opened. */
  private readonly interrupted = new Set<Look>();
  private readonly failed: (error: unknown) => void;

  /** `failed` is called with any error that a watcher throws. */
  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  /** Calls `watcher` after each change of the row until the returned function is called. */
  watch(key: Key, watcher: Look): () => void {
    const watchers = this.byKey.get(key) ?? new Set();
    this.byKey.set(key, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      this.interrupted.delete(watcher);
      if (watchers.size === 0 && this.byKey.get(key) === watchers) this.byKey.delete(key);
    };
  }

  /** Runs `look` now; if it met a shard that is down, once more after a shard has opened. */
  look(look: Look): void {
    try {
      look();
    } catch (error) {
      if (error instanceof ShardDown) this.interrupted.add(look);
      else this.failed(error);
    }
  }

  /** Calls the watchers of the rows that the record writes. */
  notify(record: Uint8Array): void {
    if (this.byKey.size === 0) return;
    eachWrite(record, (key) => {
      for (const watcher of this.byKey.get(key) ?? []) this.look(watcher);
    });
  }

  /** Runs the watchers of a shard's rows, and those that found a shard down. */
  lookAgain(isOfShard: (key: Key) => boolean): void {
    const looks = new Set(this.interrupted);
    this.interrupted.clear();
    for (const [key, watchers] of this.byKey)
      if (isOfShard(key)) for (const watcher of watchers) looks.add(watcher);
    for (const look of looks) this.look(look);
  }
}
