/**
 * What `klieg reshard` does beyond one node's data directory, while every node is stopped:
 *
 * 1. From the beginning to the end the servers of NATS say that the store is being changed, so that
 *    no node starts.
 * 2. The node must have all that was ever answered: it follows each log to its end, which is either
 *    the last word of the shard's owner, or this node was that owner.
 * 3. What comes of it is another store, with an id of its own: data directories and snapshots of
 *    the earlier one are refused everywhere.
 * 4. Each new shard begins with a record to which no earlier one leads, of a higher epoch than any
 *    earlier shard had. In the log of its number it comes behind the earlier shard's last record:
 *    an earlier owner's next record is refused there, and to an earlier standby the log is another
 *    history. The record names this node, so that the next start owns every shard.
 */
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../config/limits.ts";
import type { NatsAccess } from "../../config/secret-files.ts";
import type { Key } from "../key.ts";
import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";
import type { Nodes } from "../ports/nodes.ts";
import { PortError } from "../ports/port-error.ts";
import type { Tables } from "../ports/tables.ts";
import { asBuffer, computeHash, type Span, seal, verify } from "../record.ts";
import { handoverKey, type Owner, ownerKey, positionKey } from "../shard/flush.ts";
import { findPlace } from "../shard/log/log-place.ts";
import { type Replica, readPosition, type ShardPlace } from "../shard/replica.ts";
import { DataDirectoryError, type HeldStore } from "./data-directory.ts";
import { openJetStreamLog, patiently } from "./nats/jetstream-log.ts";
import { connectNats } from "./nats/nats.ts";
import { natsNodes } from "./nats/nats-nodes.ts";
import {
  type AgreedStore,
  type ClusterStore,
  openStoreStream,
  readStore,
  sayStore,
} from "./nats/nats-store.ts";

export interface ClusterResharding {
  readonly path: string;
  readonly store: Pick<
    HeldStore,
    "storeId" | "shardCount" | "nodeId" | "forgotten" | "reshardingStore"
  >;
  readonly shardCount: number;
  readonly nowMs: number;
}

/** What the nodes of a cluster share. */
export interface ClusterLines {
  /** In which they have agreed on the store. */
  readonly stream: Log;
  /** Of the shard with this name. */
  openLog(name: string): Promise<Log>;
  readonly nodes: Pick<Nodes, "onAnnounced">;
  rest(ms: number): Promise<void>;
  /** Names nothing else. */
  newId(): string;
  close(): Promise<void>;
}

/** A new shard that is to be written to the log of its number. */
export interface NewShard {
  /** Name of the shard: a number, or `directory`. */
  readonly name: string;
  readonly openJournal: () => Journal;
  /** Returns the hash of the last record of the earlier shard of that name, while that exists. */
  readonly formerHash: () => Promise<string | undefined>;
}

/** Throws `DataDirectoryError`, and `PortError` when NATS cannot be reached. */
export async function openClusterReshard(
  resharding: ClusterResharding & { readonly access: NatsAccess },
): Promise<ClusterReshard> {
  const connection = await connectNats({ ...resharding.access, name: "klieg reshard" });
  try {
    return await beginClusterReshard(resharding, {
      stream: await openStoreStream(connection),
      openLog: (name) => openJetStreamLog(connection, name),
      nodes: natsNodes(connection),
      rest: (ms) => pause(ms),
      newId: randomUUID,
      close: () => connection.close(),
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Throws `DataDirectoryError`, and `PortError`. */
export async function beginClusterReshard(
  resharding: ClusterResharding,
  lines: ClusterLines,
): Promise<ClusterReshard> {
  const agreed = await readStore(lines.stream);
  refuseOthers(resharding, agreed);
  return new ClusterReshard(resharding, lines, agreed);
}

function refuseOthers(
  { path, store, shardCount }: ClusterResharding,
  { store: agreed }: AgreedStore,
) {
  const { storeId, nodeId, forgotten, reshardingStore } = store;
  if (agreed === undefined || agreed.storeId === reshardingStore) return;
  if (agreed.storeId !== storeId)
    throw new DataDirectoryError(
      `${path} belongs to another store than the cluster's; set KLIEG_DATA_DIR to the data directory of one of its nodes.`,
    );
  const { change } = agreed;
  if (change === undefined) return;
  if (change.node !== nodeId && !forgotten.includes(change.node))
    throw new DataDirectoryError(
      `Node ${change.node} has begun to change the store to ${change.shardCount} shards; run klieg reshard ${change.shardCount} there, or klieg node forget ${change.node} here if it is gone for good.`,
    );
  if (change.node === nodeId && change.shardCount !== shardCount)
    throw new DataDirectoryError(
      `The change of ${path} to ${change.shardCount} shards was interrupted; run klieg reshard ${change.shardCount}.`,
    );
}

export class ClusterReshard {
  /** Id of the store with the new shards. */
  readonly storeId: string;
  private readonly resharding: ClusterResharding;
  private readonly lines: ClusterLines;
  private agreed: AgreedStore;
  /** Highest epoch of the earlier shards. */
  private formerEpoch = 0;

  constructor(resharding: ClusterResharding, lines: ClusterLines, agreed: AgreedStore) {
    const { nodeId, reshardingStore } = resharding.store;
    const change = agreed.store?.change;
    const begun = change?.node === nodeId ? change.storeId : undefined;
    this.storeId = reshardingStore ?? begun ?? lines.newId();
    this.resharding = resharding;
    this.lines = lines;
    this.agreed = agreed;
  }

  close(): Promise<void> {
    return this.lines.close();
  }

  /** Keeps nodes from starting from now on. Throws `DataDirectoryError` and `PortError`. */
  async begin(): Promise<void> {
    const { store } = this.agreed;
    if (store?.storeId === this.storeId) return;
    await this.refuseLiving();
    if (store?.change?.storeId === this.storeId) return;
    const { nodeId: node } = this.resharding.store;
    const { shardCount } = this.resharding;
    await this.say("begin", {
      ...this.former(),
      change: { node, storeId: this.storeId, shardCount },
    });
  }

  /** Lets nodes start with the store as it was. */
  async cancel(): Promise<void> {
    await this.say("cancel", this.former());
  }

  /** Lets nodes start with the new shards. */
  async end(): Promise<void> {
    if (this.agreed.store?.storeId === this.storeId) return;
    const { storeId, formerIds = [] } = this.former();
    const { shardCount } = this.resharding;
    await this.say("end", {
      storeId: this.storeId,
      shardCount,
      formerIds: [...formerIds, storeId],
    });
  }

  /** Throws when a node is alive; listens for as long as a living node may be silent. */
  async refuseLiving(): Promise<void> {
    const living = new Map<string, string>();
    const silence = this.lines.nodes.onAnnounced(({ node, address, status }) => {
      if (status === "gone") living.delete(node);
      else living.set(node, address);
    });
    await this.lines.rest(limits.cluster.silenceMs);
    silence();
    for (const [node, address] of living)
      throw new DataDirectoryError(
        `Node ${node} is running (at ${address}); stop every engine node of the cluster, then run the command again.`,
      );
  }

  /** Follows the log to its end. Throws `DataDirectoryError`, and `PortError`. */
  async catchUp({ shard, shardCount }: ShardPlace, replica: Replica, journal: Journal) {
    const name = shard === shardCount ? "directory" : String(shard);
    const log = await this.lines.openLog(name);
    const place = await findPlace(log, replica.position);
    if (place.kind === "short")
      throw behind(`The log of shard ${name} lacks records that this node has`);
    if (place.kind !== "found")
      throw behind(`The log of shard ${name} does not continue from this node's records`);
    const { logSeq: lastSeq } = await log.end();
    for (let logSeq = place.logSeq + 1; logSeq <= lastSeq; logSeq++) {
      const record = (await log.at(logSeq))?.record;
      const verified = record && verify(record, replica.position.hash);
      if (record === undefined || verified === undefined)
        throw behind(`The log of shard ${name} does not continue from this node's records`);
      const { seq } = verified;
      const position = replica.positionBehind(seq, record, verified);
      await journal.append(seq, record);
      replica.apply(position, record);
      if (replica.isFull) await replica.flush();
    }
    await replica.flush();
    this.refuseUnknown(name, replica);
    this.formerEpoch = Math.max(this.formerEpoch, replica.position.epoch);
  }

  /**
   * Has the new shard, whose tables have its parent's rows and position, begin with the record of
   * rule 4, as the first of an empty journal.
   */
  async beginShard({ shard }: ShardPlace, tables: Tables, journal: Journal): Promise<void> {
    const { nodeId: node } = this.resharding.store;
    const parent = readPosition(tables);
    const hash = createHash("sha256").update(`${this.storeId} ${shard}`).digest("hex");
    const owner: Owner = {
      node,
      nonce: this.lines.newId(),
      store: this.storeId,
      members: [node],
      isQuorum: false,
    };
    const text = Buffer.from(JSON.stringify(owner));
    const writes = new Map<Key, Span>([[ownerKey, { start: 0, end: text.length }]]);
    const seq = parent.seq + 1;
    const atMs = Math.max(this.resharding.nowMs, parent.atMs);
    const head = { shard, epoch: this.formerEpoch + 1, seq, atMs };
    const { bytes } = seal(head, writes, text, hash);
    await tables.write([[positionKey, JSON.stringify({ ...parent, logSeq: 0, hash })]]);
    await journal.restart(parent.seq);
    await journal.append(seq, bytes);
  }

  /** Appends each shard's first record to its log, unless the log has the record already. */
  async changeLogs(shards: readonly NewShard[]): Promise<void> {
    const changes: (NewShard & { log: Log; record: Uint8Array; lastSeq: number })[] = [];
    for (const shard of shards) {
      const log = await this.lines.openLog(shard.name);
      const record = await firstRecord(shard);
      const end = await patiently(() => log.end());
      if (end.record !== undefined && asBuffer(end.record).equals(record)) {
        await log.trim(end.logSeq - 1);
        continue;
      }
      if (end.record !== undefined && computeHash(end.record) !== (await shard.formerHash()))
        throw this.createWritten(shard);
      changes.push({ ...shard, log, record, lastSeq: end.logSeq });
    }
    for (const { log, record, lastSeq, ...shard } of changes) {
      const id = `${this.storeId}:${shard.name}`;
      if (!(await patiently(() => log.publish(record, id, lastSeq))))
        throw this.createWritten(shard);
      await log.trim(lastSeq);
    }
  }

  /** Refuses when other nodes may have received last records that the log has lost. */
  private refuseUnknown(name: string, { rows, position }: Replica): void {
    const owner = rows.row(ownerKey, 0) as Owner | undefined;
    const handover = rows.row(handoverKey, 0) as { epoch: number } | undefined;
    if (owner?.node === this.resharding.store.nodeId || handover?.epoch === position.epoch) return;
    throw behind(
      `Node ${owner?.node}, which owned shard ${name}, crashed instead of being stopped`,
    );
  }

  private createWritten({ name }: NewShard): DataDirectoryError {
    const { nodeId } = this.resharding.store;
    return new DataDirectoryError(
      `Another node has written to shard ${name} in the meantime; stop it, run klieg node forget ${nodeId} and this command there, and empty ${this.resharding.path}.`,
    );
  }

  private former(): ClusterStore {
    const { storeId, shardCount } = this.resharding.store;
    const { formerIds } = this.agreed.store ?? {};
    return { storeId, shardCount, ...(formerIds === undefined ? {} : { formerIds }) };
  }

  private async say(what: string, store: ClusterStore): Promise<void> {
    const { seq } = this.agreed;
    if (!(await sayStore(this.lines.stream, store, `${this.storeId}:${what}`, seq)))
      throw new DataDirectoryError(
        "Another command or node has changed the cluster's store in the meantime; run the command again.",
      );
    this.agreed = { store, seq: seq + 1 };
  }
}

function behind(fact: string): DataDirectoryError {
  return new DataDirectoryError(
    `${fact}; start the nodes, drain all but this one (klieg drain) until it owns every shard, stop them all, this one last, and run the command again.`,
  );
}

async function firstRecord({ name, openJournal }: NewShard): Promise<Uint8Array> {
  const journal = openJournal();
  try {
    for (const { record } of journal.from(1)) return Uint8Array.from(record);
  } finally {
    await journal.close();
  }
  throw new PortError(`The new shard ${name} has no records`, false);
}
