/**
 * Which store the nodes of a cluster serve: the first node that begins one says so, as the first
 * message of a stream; all others find it there. The last message counts: `klieg reshard` adds one
 * that lets no node start, and one that names what the store is from then on. Servers that have
 * lost it are told again by the first node that has the store.
 */
import { setTimeout as pause } from "node:timers/promises";
import { check, Type } from "../../../config/schema.ts";
import type { Log } from "../../ports/log.ts";
import { PortError } from "../../ports/port-error.ts";
import { formatVersion } from "../data-directory.ts";
import { pack, unpack } from "../message-pack.ts";
import { openStream, patiently } from "./jetstream-log.ts";
import type { NatsConnection } from "./nats.ts";

export interface ClusterStore {
  readonly storeId: string;
  readonly shardCount: number;
  /** A change of the shard count under way, during which no node may start. */
  readonly change?: StoreChange;
  /** Ids that the store had when it had fewer shards. */
  readonly formerIds?: readonly string[];
}

/** A change in progress, in which a stopped node creates another store with more shards. */
export interface StoreChange {
  readonly node: string;
  readonly storeId: string;
  readonly shardCount: number;
}

/** The store as named by a message of the stream, and the message's number, 0 before the first. */
export interface AgreedStore {
  readonly store: ClusterStore | undefined;
  readonly seq: number;
}

const id = Type.String({ minLength: 1, maxLength: 64 });
const shardCount = Type.Integer({ minimum: 1, maximum: 128 });
/** `format` is the version of the data directories: the meaning of rows depends on it. */
const isStore = check<ClusterStore & { readonly format: number }>(
  Type.Object({
    format: Type.Literal(formatVersion),
    storeId: id,
    shardCount,
    change: Type.Optional(Type.Object({ node: id, storeId: id, shardCount })),
    // Each former store had at least twice as many shards as the one before.
    formerIds: Type.Optional(Type.Array(id, { maxItems: 8 })),
  }),
);

/** Opens the stream that names the cluster's store; throws `PortError`. */
export function openStoreStream(connection: NatsConnection): Promise<Log> {
  return openStream(connection, { stream: "STORE", subject: "STORE" });
}

/** Reads the agreed store; throws `PortError` with one sentence. */
export async function readStore(stream: Log): Promise<AgreedStore> {
  const { logSeq: seq, record } = await patiently(() => stream.end());
  if (record === undefined) return { store: undefined, seq };
  const message = unpack(record);
  if (!isStore(message))
    throw new PortError(
      "The cluster's store was created by another version of Klieg; install that version here.",
      false,
    );
  const { format: _, ...store } = message;
  return { store, seq };
}

/**
 * Publishes `store` after the message `seq`; returns false when there is a later one by now. `name`
 * must be unique to this message. Throws `PortError`.
 */
export function sayStore(
  stream: Log,
  store: ClusterStore,
  name: string,
  seq: number,
): Promise<boolean> {
  const message = pack({ format: formatVersion, ...store });
  return patiently(() => stream.publish(message, name, seq));
}

/** Delay between the two times that a new node reads which store the cluster has. */
const settleMs = 2_000;

/**
 * Returns the cluster's store: `proposed` if there was none. A node that `isNew` reads it twice.
 * Throws `PortError` with one sentence.
 */
export async function agreeOnStore(
  connection: NatsConnection,
  { storeId, shardCount }: ClusterStore,
  isNew: boolean,
): Promise<ClusterStore> {
  const stream = await openStoreStream(connection);
  const agreed = await agreeOnce(stream, { storeId, shardCount });
  return isNew ? settle(stream, agreed, () => pause(settleMs)) : agreed;
}

/**
 * Servers that have only just begun may tell two nodes that each was the first to say its store,
 * and keep what one of them said (2.9.10, in one of some hundred starts of three nodes at a time).
 * So what a node begins with is what it has read twice.
 */
export async function settle(
  stream: Log,
  agreed: ClusterStore,
  rest: () => Promise<void>,
): Promise<ClusterStore> {
  await rest();
  const again = await agreeOnce(stream, agreed);
  return again.storeId === agreed.storeId ? again : settle(stream, again, rest);
}

async function agreeOnce(stream: Log, proposed: ClusterStore): Promise<ClusterStore> {
  const { store, seq } = await readStore(stream);
  if (store !== undefined) return store;
  if (await sayStore(stream, proposed, proposed.storeId, seq)) return proposed;
  const { store: other } = await readStore(stream);
  if (other !== undefined) return other;
  throw new PortError(
    "The NATS servers do not say which store the cluster uses; check their disks.",
    false,
  );
}
