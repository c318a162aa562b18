/** Those who look at rows again after each change, and after a shard that was down has opened. */
import type { Key } from "../key.ts";
import { eachWrite } from "../record.ts";
import { ShardDown } from "./shard-end.ts";

/** Reads rows and reports changes; an extra call is harmless. */
export type Look = () => void;

export class RowWatchers {
  private readonly byKey = new Map<Key, Set<Look>>();
  /** Those that met a shard that was down, to be run again. */
  private readonly interrupted = new Set<Look>();
  private readonly failed: (error: unknown) => void;

  /** `failed` gets what a look threw. */
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

  /** Runs `look` now, and once more after a shard has opened when it met one that is down. */
  look(look: Look): void {
    try {
      look();
    } catch (error) {
      if (error instanceof ShardDown) this.interrupted.add(look);
      else this.failed(error);
    }
  }

  /** The rows that the record writes have changed. */
  notify(record: Uint8Array): void {
    if (this.byKey.size === 0) return;
    eachWrite(record, (key) => {
      for (const watcher of this.byKey.get(key) ?? []) this.look(watcher);
    });
  }

  /** Watchers of rows of a shard, and those that looked in vain while some shard was down. */
  lookAgain(isOfShard: (key: Key) => boolean): void {
    const looks = new Set(this.interrupted);
    this.interrupted.clear();
    for (const [key, watchers] of this.byKey)
      if (isOfShard(key)) for (const watcher of watchers) looks.add(watcher);
    for (const look of looks) this.look(look);
  }
}
