/**
 * All that a shard knows: cached heads, fresh rows, short windows, tables and the due index behind
 * one look-up. Owned by the shard; the batch reads and keeps through it, the flush empties
 * it.
 *
 * Idle heads leave memory by bytes, those first that were written once and long ago; a message
 * brings them back.
 */

import { limits } from "../../../config/limits.ts";
import type { ShardMemory } from "../../../config/memory.ts";
import type { AnyActor } from "../../actor.ts";
import type { Domain } from "../../domain.ts";
import { getCode, type Key } from "../../key.ts";
import type { Tables } from "../../ports/tables.ts";
import { getText } from "../../record.ts";
import { decodeRow, type RowCodecs } from "../../row-codec.ts";
import { DueIndex } from "./due-index.ts";
import { type FreshHead, FreshRows } from "./fresh-rows.ts";
import { ShardWindows } from "./shard-windows.ts";

/** A row that a batch writes. */
export interface Written {
  readonly value: unknown;
  /** Bounds of its JSON in the batch's values, set at its step's end; -1 for a deletion. */
  start: number;
  end: number;
  /** The actor, if the row is a head. */
  readonly actor: AnyActor | undefined;
  /** For a head: when the actor is to get the message `due`. */
  dueMs: number | undefined;
}

interface CachedHead {
  head: unknown;
  readonly bytes: number;
  isWrittenAgain: boolean;
}

export class ShardRows {
  readonly fresh = new FreshRows();
  readonly due: DueIndex;
  readonly windows: ShardWindows;
  readonly tables: Tables;
  /** Undefined: the limits alone bound what is kept. */
  memory: ShardMemory | undefined;
  private readonly rowCodecs: RowCodecs | undefined;
  private readonly indexRules: Domain["indexRules"];
  private readonly heads = new Map<Key, CachedHead>();
  private headBytes = 0;

  constructor(tables: Tables, domain: Domain, nowMs: number) {
    this.tables = tables;
    this.rowCodecs = domain.rowCodecs;
    this.indexRules = domain.indexRules;
    this.due = new DueIndex(nowMs);
    this.windows = new ShardWindows(domain.windows);
  }

  private get headBytesMax(): number {
    return this.memory?.headBytesMax ?? limits.engine.headCacheBytes;
  }

  /** `written` is what the open batch holds for the key. */
  head(key: Key, written: Written | undefined): unknown {
    if (written !== undefined) return written.value;
    const cached = this.heads.get(key);
    return cached === undefined ? this.readStored(key) : cached.head;
  }

  row(key: Key, atMs: number): unknown {
    return this.windows.has(key) ? this.windows.get(key, atMs) : this.readStored(key);
  }

  /** Adds a record that is being written to the journal, with the writes of its batch. */
  add(record: Uint8Array, writes: ReadonlyMap<Key, Written>): void {
    const heads: (FreshHead | undefined)[] = [];
    for (const [key, { actor, value, dueMs }] of writes) {
      const rule = value === undefined ? undefined : this.indexRules?.get(getCode(key));
      heads.push(actor && freshHead(dueMs, rule?.pick(value)));
      if (actor !== undefined) this.due.set(key, dueMs);
    }
    this.fresh.add(record, heads);
  }

  /** Caches a head; when `stays` is false, removes it from memory at once. */
  keepHead(key: Key, head: unknown, stays: boolean): void {
    const cached = this.heads.get(key);
    if (cached !== undefined && stays) {
      cached.head = head;
      cached.isWrittenAgain = true;
      return;
    }
    if (cached !== undefined) this.drop(key, cached);
    if (!stays) return;
    const bytes = 2 * key.length + limits.engine.headBytesGuess;
    this.heads.set(key, { head, bytes, isWrittenAgain: false });
    this.headBytes += bytes;
    if (this.headBytes > this.headBytesMax) this.evict();
  }

  private readStored(key: Key): unknown {
    const fresh = this.fresh.get(key);
    const text = fresh === undefined ? this.tables.get(key) : getText(fresh);
    return text === undefined ? undefined : decodeRow(this.rowCodecs, key, text);
  }

  /**
   * Evicts the oldest heads first; one written again since it was last examined may stay. Evicts
   * many at a time, for the reason that `deleteOldest` gives.
   */
  private evict(): void {
    const bytesLeft = (this.headBytesMax * 15) / 16;
    for (const [key, cached] of this.heads) {
      if (this.headBytes <= bytesLeft) return;
      this.drop(key, cached);
      if (!cached.isWrittenAgain) continue;
      cached.isWrittenAgain = false;
      this.heads.set(key, cached);
      this.headBytes += cached.bytes;
    }
  }

  private drop(key: Key, { bytes }: CachedHead): void {
    this.heads.delete(key);
    this.headBytes -= bytes;
  }
}

let bare: FreshHead = { dueMs: undefined, picked: undefined };

/** Heads without index entries share one object: they are kept by the hundred thousand. */
function freshHead(dueMs: number | undefined, picked: unknown): FreshHead {
  if (picked !== undefined) return { dueMs, picked };
  if (bare.dueMs !== dueMs) bare = { dueMs, picked };
  return bare;
}
