/** Messages between threads. Each two of them have one channel. */
import type { MessagePort } from "node:worker_threads";
import type { ShardMemory } from "../config/memory.ts";
import type { NatsAccess } from "../config/secret-files.ts";
import type { ObjectStore } from "../config/settings.ts";
import type { Reply } from "./actor.ts";
import type { RequestId } from "./address.ts";
import type { Key } from "./key.ts";
import type { OutboxMessage } from "./outbox.ts";
import type { Answered, Asked } from "./questions.ts";
import type { Delivery, Origin } from "./shard/batch.ts";
import type { Lane } from "./shard/inbox.ts";
import type { ShardWait } from "./shard/waiting.ts";

/** A request to an actor, as an array: an object's member names would travel with each message. */
export type Ask = readonly [
  to: Key,
  message: unknown,
  request: RequestId,
  lane: Lane,
  /** Time at which the request was made. */
  atMs: number,
];

/** Messages from the HTTP thread to a shard. */
export type ToShard =
  | Ask
  | { readonly kind: "flush" }
  | { readonly kind: "stop" }
  /** From the host: commit nothing, with all in the tables, until it is over. */
  | { readonly kind: "hold"; readonly number: number }
  | { readonly kind: "resume" };

/** Messages from the host to a shard's thread. */
export type ToShardThread =
  | ToShard
  /** Answered by `Sample[]`. */
  | Asked<"samples">
  /** Once: the way to the effects thread. */
  | { readonly kind: "effects"; readonly port: MessagePort }
  /** In a cluster: the node is to own nothing more. */
  | { readonly kind: "drain" }
  /** To a standby, answered by `held`: have the records up to this one in the tables. */
  | { readonly kind: "reach"; readonly number: number; readonly seq: number };

/** Events that leave a shard, in the order in which they happened. */
export type ShardEvent =
  /** The shard cannot open since writes fail; the tables lack what these records hold. */
  | { readonly kind: "readable"; readonly records: readonly Uint8Array[] }
  | { readonly kind: "opened"; readonly seq: number; readonly atMs: number }
  /** Another node owns it, or none yet: its rows may be read from the first lease on. */
  | { readonly kind: "following" }
  /** It has heard the owner, and takes over when that is silent. */
  | { readonly kind: "standby" }
  /** This node is to own it, and another one did last: effects under way here are not its own. */
  | { readonly kind: "left" }
  /** What it waits for without an owner that is heard; undefined when that is over. */
  | { readonly kind: "waiting"; readonly wait: ShardWait | undefined }
  /** The tables are not the shard's: those of another node take their place. */
  | { readonly kind: "joining" }
  /** A record of another node's. */
  | { readonly kind: "applied"; readonly record: Uint8Array }
  /** Until when its rows may be read, by the monotonic clock; without a log for ever. */
  | { readonly kind: "lease"; readonly endsMs: number }
  | {
      readonly kind: "release";
      readonly seq: number;
      readonly record: Uint8Array;
      readonly replies: readonly Reply[];
    }
  /** It decides what it was asked, and no more. */
  | { readonly kind: "leaving" }
  /** No standby has the last records yet: who waits for an answer is told that there is none. */
  | { readonly kind: "unconfirmed" }
  /** Rows released so far are on their way into the tables; later ones are a new generation. */
  | { readonly kind: "frozen" }
  /** They could not be written, and stay fresh until a later attempt is `flushed`. */
  | { readonly kind: "stuck" }
  | { readonly kind: "flushed"; readonly seq: number }
  /**
   * The tables are at this record. Of an owner: from here on until the host resumes it, or
   * `limits.engine.holdMs` have passed twice.
   */
  | {
      readonly kind: "held";
      readonly number: number;
      readonly epoch: number;
      readonly seq: number;
    };

/** From a shard's thread to the HTTP thread; for a damaged store only the reason is sent. */
export type FromShardThread =
  | ShardEvent
  | Answered
  | { readonly kind: "damaged"; readonly sentence: string };

/** Messages from a shard to the effects thread. */
export interface ToEffects {
  readonly deliveries: readonly Delivery[];
  readonly acknowledged: readonly Origin[];
}

/** Messages from the effects thread to a shard. */
export type FromEffects = OutboxMessage;

/** From the effects thread to the host; `message` is for the service, which gets it unchanged. */
export type FromEffectsThread =
  | { readonly kind: "ready" }
  | { readonly kind: "message"; readonly message: unknown };

/** Messages from the host to the effects thread; an attached shard is open. */
export type EffectsControl =
  | { readonly kind: "attach"; readonly shard: number; readonly port: MessagePort }
  | { readonly kind: "detach"; readonly shard: number }
  /** Another node owns it, and has its effects from now on. */
  | { readonly kind: "left"; readonly shard: number }
  | { readonly kind: "message"; readonly message: unknown }
  | { readonly kind: "stop" };

/** Input of a shard's thread. */
export interface ShardTask {
  readonly shardCount: number;
  readonly dataDir: string;
  readonly logLevel: string;
  /** URL of the collector of spans. */
  readonly otlpUrl: string | undefined;
  /** Whether the shard may have no tables yet. */
  readonly isNew: boolean;
  /** Time of the process's clock at the start. */
  readonly startMs: number;
  readonly shard: number;
  readonly gateway: MessagePort;
  /** How NATS, which keeps the log, is reached; undefined for a machine without a cluster. */
  readonly cluster: NatsAccess | undefined;
  /** Object store in which the nodes of a cluster leave snapshots for each other. */
  readonly objectStore: ObjectStore | undefined;
  readonly memory?: ShardMemory | undefined;
  /** Whether the store was founded in this data directory. */
  readonly isFounder: boolean;
  /** Whether a write is answered only when a standby has it on its disk too. */
  readonly isQuorum: boolean;
  readonly storeId: string;
  readonly nodeId: string;
  readonly forgotten: readonly string[];
  /** Whether the node must not take over any more shards. */
  readonly isDraining: boolean;
  /** The records from which shards may resume here, by the operator's decision. */
  readonly acceptedLosses: readonly { shard: number; epoch: number; seq: number }[];
}

/** Input of the effects thread. */
export interface EffectsTask {
  readonly shardCount: number;
  readonly dataDir: string;
  readonly logLevel: string;
  readonly farmWorkers: number;
  /** Path of the file that a farm node runs. */
  readonly farmEntry: string;
  /** NATS, through which separate farm nodes connect; undefined without NATS. */
  readonly nats?: NatsAccess | undefined;
  /** Whether shards may be owned by other nodes. */
  readonly isClustered: boolean;
  /** The object store, with its secret; undefined when objects are on the disk. */
  readonly objectStore: ObjectStore | undefined;
  readonly control: MessagePort;
}
