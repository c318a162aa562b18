/** What a shard works with: its outlets, its stores and its ownership. */
import type { ShardMemory } from "../../config/memory.ts";
import type { Context, Report } from "../actor.ts";
import type { Key } from "../key.ts";
import type { Clock } from "../ports/clock.ts";
import type { Journal } from "../ports/journal.ts";
import type { PortError } from "../ports/port-error.ts";
import type { Tables } from "../ports/tables.ts";
import type { ShardEvent } from "../wire.ts";
import type { Delivery, Origin } from "./batch.ts";
import type { Owner } from "./flush.ts";
import type { OwnedLog } from "./log/owned-log.ts";
import type { Members } from "./members.ts";

export interface ShardOutlets {
  readonly event: (event: ShardEvent) => void;
  readonly deliver: (deliveries: readonly Delivery[], acknowledged: readonly Origin[]) => void;
  readonly brokenStep: (actor: Key, error: unknown) => void;
  /** Called with each report; `get` may be used only until it returns. */
  readonly report: (report: Report, get: Context["get"]) => void;
  /** Called when flushes begin to fail; with undefined when one has succeeded again. */
  readonly flushes: (error: PortError | undefined) => void;
}

export interface ShardStores {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly tables: Tables;
  /** Time of the process's clock when the shard was started. */
  readonly startMs: number;
  /** Bounds of the rows that the shard keeps in memory; undefined for those of `limits.ts`. */
  readonly memory?: ShardMemory | undefined;
}

/** The role and the rights with which a shard is opened. */
export interface Ownership {
  readonly owner: Owner;
  /** Epoch of the ownership; by default the one after the last record's. */
  readonly epoch?: number;
  /** The replicated log; undefined on a machine without a cluster. */
  readonly log?: OwnedLog | undefined;
  /** How long an earlier owner may still answer reads. */
  readonly leaseMs?: number | undefined;
  /** Who may own the shard next, and what they have; undefined on a machine without a cluster. */
  readonly members?: Members | undefined;
  /** The last record that no other node needs from this journal any more. */
  readonly spareSeq?: () => number;
}
