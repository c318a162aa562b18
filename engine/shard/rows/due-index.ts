/**
 * The due time of each open actor, from the record on that seals its head. Buckets of
 * `granularityMs`, so that setting and clearing cost the same however many actors wait. The flush
 * writes the index beside the heads, and a starting shard refills it, so no timer is lost or stored
 * twice.
 */

import { limits } from "../../../config/limits.ts";
import type { Key } from "../../key.ts";

const granularityMs = limits.engine.dueGranularityMs;

export class DueIndex {
  private readonly dueByActor = new Map<Key, number>();
  private readonly actorsByBucket = new Map<number, Set<Key>>();
  /** Due times that the tables hold, so that a flush writes only differences. */
  private readonly storedByActor = new Map<Key, number>();
  private swept: number;
  /** Bucket before which all others are empty, except those that were swept. */
  private soonest: number;

  constructor(nowMs: number) {
    this.swept = getBucket(nowMs) - 1;
    this.soonest = this.swept + 1;
  }

  set(actor: Key, dueMs: number | undefined): void {
    const before = this.dueByActor.get(actor);
    if (before === dueMs) return;
    if (before !== undefined) this.leave(actor, before);
    if (dueMs === undefined) return;
    this.dueByActor.set(actor, dueMs);
    const bucket = Math.max(getBucket(dueMs), this.swept + 1);
    if (bucket < this.soonest) this.soonest = bucket;
    const actors = this.actorsByBucket.get(bucket);
    if (actors === undefined) this.actorsByBucket.set(bucket, new Set([actor]));
    else actors.add(actor);
  }

  /** Restores an actor's due time, as read from the tables at start. */
  restore(actor: Key, dueMs: number): void {
    this.storedByActor.set(actor, dueMs);
    this.set(actor, dueMs);
  }

  /** Actors that wait for something; more may be added during the iteration. */
  actors(): IterableIterator<Key> {
    return this.dueByActor.keys();
  }

  /** Returns the actors that are due, each one once; they must be set again. */
  take(nowMs: number): Key[] {
    const due: Key[] = [];
    const last = getBucket(nowMs) - 1;
    if (last <= this.swept) return due;
    for (const bucket of this.bucketsUpTo(last)) {
      for (const actor of this.actorsByBucket.get(bucket) ?? []) {
        this.dueByActor.delete(actor);
        due.push(actor);
      }
      this.actorsByBucket.delete(bucket);
    }
    this.swept = last;
    return due;
  }

  /** When to call `take` next: at `latestMs`, or earlier when an actor is due before that. */
  nextMs(latestMs: number): number {
    if (this.soonest <= this.swept) {
      const last = getBucket(latestMs);
      this.soonest = this.swept + 1;
      while (this.soonest <= last && !this.actorsByBucket.has(this.soonest)) this.soonest++;
    }
    return Math.min(latestMs, (this.soonest + 1) * granularityMs);
  }

  /** Lists filled buckets in order; after a long pause these are fewer than have passed. */
  private bucketsUpTo(last: number): number[] {
    const { swept, actorsByBucket } = this;
    if (last - swept > actorsByBucket.size)
      return [...actorsByBucket.keys()].filter((at) => at <= last).sort((a, b) => a - b);
    return Array.from({ length: last - swept }, (_, at) => swept + 1 + at);
  }

  /** Whether the tables hold a time for the actor: its head there waits for something. */
  isStored(actor: Key): boolean {
    return this.storedByActor.has(actor);
  }

  /**
   * The write that brings the tables up to date for one actor: a time, `null` to delete, or
   * undefined for no change.
   */
  difference(actor: Key, dueMs: number | undefined): number | null | undefined {
    if (this.storedByActor.get(actor) === dueMs) return undefined;
    return dueMs ?? null;
  }

  /** Notes that the tables now hold this due time. */
  store(actor: Key, dueMs: number | undefined): void {
    if (dueMs === undefined) this.storedByActor.delete(actor);
    else this.storedByActor.set(actor, dueMs);
  }

  private leave(actor: Key, dueMs: number): void {
    this.dueByActor.delete(actor);
    const bucket = getBucket(dueMs);
    const actors = this.actorsByBucket.get(bucket) ?? this.actorsByBucket.get(this.swept + 1);
    actors?.delete(actor);
    if (actors?.size === 0) this.actorsByBucket.delete(bucket);
  }
}

function getBucket(ms: number): number {
  return Math.floor(ms / granularityMs);
}
