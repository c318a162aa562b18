/** The surroundings of a simulated node, and the listeners to which it reports what happens. */
import type { Domain } from "../../../engine/domain.ts";
import type { Gateway } from "../../../engine/gateway.ts";
import type { Key } from "../../../engine/key.ts";
import type { Outbox, Performance } from "../../../engine/outbox.ts";
import type { Clock } from "../../../engine/ports/clock.ts";
import type { Objects } from "../../../engine/ports/objects.ts";
import type { Delivery } from "../../../engine/shard/batch.ts";
import type { ShardEvent } from "../../../engine/wire.ts";
import type { Dice } from "./dice.ts";
import type { SimDisk } from "./sim-disk.ts";
import type { SimLog } from "./sim-log.ts";
import type { SimNetwork } from "./sim-network.ts";
import type { Timeline } from "./timeline.ts";

/** What carries out effects in one life of a node, and follows rows for clients. */
export interface Work {
  perform(delivery: Delivery): Promise<Performance>;
  /** Called when another node owns the shard and has its effects from now on. */
  onLeave(shard: number): void;
  /** Its rows are not read here any more. */
  drain(shard: number): void;
}

export interface NodeDisks {
  readonly name: string;
  /** Disks by shard; the directory's is the last. */
  readonly disks: readonly SimDisk[];
}

export interface WorkParts {
  readonly clock: Clock;
  readonly outbox: Outbox;
  readonly gateway: Gateway;
  readonly node: string;
}

export interface Surroundings {
  readonly timeline: Timeline;
  readonly dice: Dice;
  readonly network: SimNetwork;
  /** The directory's is the last; they become more with the shards. */
  logs: readonly SimLog[];
  /** In which nodes agree on the store. */
  readonly storeLog: SimLog;
  storeId: string;
  readonly objects: Objects;
  readonly domain: Domain;
  readonly isQuorum: boolean;
  shardCount: number;
  /** Number of node processes so far. */
  processes: number;
  readonly openWork: (parts: WorkParts) => Work;
  readonly onEvent: (node: NodeDisks, shard: number, event: ShardEvent) => void;
  /** Called when a shard's thread has ended; without an error it was stopped. */
  readonly onEnd: (node: string, shard: number, error: unknown) => void;
  /** Called when a node drops its records up to `seq`; `heard` is how far other nodes are. */
  readonly onTrim: (
    node: NodeDisks,
    shard: number,
    seq: number,
    heard: ReadonlyMap<string, number>,
  ) => void;
  readonly onBrokenStep: (actor: Key, error: unknown) => void;
  readonly onFault: (sentence: string) => void;
}
