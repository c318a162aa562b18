import type { Key } from "./key.ts";

/**
 * Rows that are durable in the journal and not yet in the tables, in two generations: the one that is
 * written to, and the frozen one that a pass is writing into the tables. Look-ups go new, frozen, table.
 */
export class FreshRows<Value> {
  private current = new Map<Key, Value>();
  private frozen = new Map<Key, Value>();

  get size(): number {
    return this.current.size + this.frozen.size;
  }

  get(key: Key): Value | undefined {
    return this.current.get(key) ?? this.frozen.get(key);
  }

  set(key: Key, value: Value): void {
    this.current.set(key, value);
  }

  /** For a key that was born in this generation and is gone again: no table ever hears of it. */
  forget(key: Key): void {
    this.current.delete(key);
  }

  inCurrent(key: Key): Value | undefined {
    return this.current.get(key);
  }

  /** Starts a new generation and returns the old one. The frozen one must have been thawed. */
  freeze(): ReadonlyMap<Key, Value> {
    this.frozen = this.current;
    this.current = new Map();
    return this.frozen;
  }

  /** The frozen rows are in the tables now. */
  thaw(): void {
    this.frozen = new Map();
  }
}
