/**
 * The round through actors whose time has come: a page of one partition at a time, so that a shard
 * does little of it at once. A page that is full is followed by the next of the same partition;
 * after the last partition the round rests. What it has reached is kept nowhere: a starting shard
 * begins a new round.
 */

import { limits } from "../../config/limits.ts";
import type { SweepRule } from "../domain.ts";
import { getPartitions, type KeyRange } from "../key.ts";
import type { TableReader } from "../ports/tables.ts";
import type { Envelope } from "./batch.ts";
import type { ShardPlace } from "./replica.ts";

export class Sweep {
  private readonly rule: SweepRule;
  private readonly tables: TableReader;
  private readonly partitions: { readonly first: number; readonly last: number };
  private partition: number;
  /** The rest of the partition's rows in this round. */
  private range: KeyRange | undefined;
  private restsUntilMs = 0;

  constructor(rule: SweepRule, tables: TableReader, place: ShardPlace) {
    this.rule = rule;
    this.tables = tables;
    this.partitions = getPartitions(place.shard, place.shardCount);
    this.partition = this.partitions.first;
  }

  /** Returns the messages for the next actors to sweep. */
  take(nowMs: number): Envelope[] {
    if (nowMs < this.restsUntilMs) return [];
    const { message, source, findActor: actorOf } = this.rule;
    const range = this.range ?? source(this.partition, nowMs);
    const rows = this.tables.range(range, limits.engine.sweepRows);
    const last = rows.at(-1);
    if (last !== undefined && rows.length === limits.engine.sweepRows)
      this.range = { start: `${last.key}\0`, end: range.end };
    else this.nextPartition(nowMs);
    return rows.map(({ key }) => ({ to: actorOf?.(key) ?? key, message }));
  }

  private nextPartition(nowMs: number): void {
    this.range = undefined;
    this.partition++;
    if (this.partition <= this.partitions.last) return;
    this.partition = this.partitions.first;
    this.restsUntilMs = nowMs + limits.engine.sweepRestMs;
  }
}
