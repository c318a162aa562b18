/**
 * An operator's decisions for a cluster, made at the data directory of a stopped node: that a node
 * is gone for good, and that records which no node has any more are given up.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../config/limits.ts";
import type { NatsAccess } from "../../config/secret-files.ts";
import type { Domain } from "../domain.ts";
import type { Announcement } from "../ports/peers.ts";
import type { Tables } from "../ports/tables.ts";
import { readHead } from "../record.ts";
import { type Owner, ownerKey, type Position } from "../shard/flush.ts";
import { LatestOwner } from "../shard/latest-owner.ts";
import { findPlace } from "../shard/log/log-place.ts";
import { recover } from "../shard/recovery.ts";
import type { ShardPlace } from "../shard/replica.ts";
import { Standbys } from "../shard/standbys.ts";
import { DataDirectoryError, type HeldStore, holdStore } from "./data-directory.ts";
import { openJournal } from "./file-journal.ts";
import { openTables } from "./lmdb.ts";
import { openJetStreamLog, patiently } from "./nats/jetstream-log.ts";
import { connectNats } from "./nats/nats.ts";
import { natsPeers } from "./nats/nats-peers.ts";
import { systemClock } from "./system-clock.ts";

/** What this node has of a shard, and what can be known of the rest. */
export interface ShardLoss {
  readonly shard: string;
  readonly own: Reached;
  readonly owner: Owner;
  /** Position of the log's last record; undefined when the log holds none. */
  readonly log: Reached | undefined;
  /** Whether the log's records continue from this node's. */
  readonly isLogKept: boolean;
  readonly others: readonly Announcement[];
  /** Whether no acknowledged record can be elsewhere alone: the shard then resumes by itself. */
  readonly isNothingLost: boolean;
}

type Reached = Pick<Position, "epoch" | "seq">;

/** Returns false when the node was forgotten before. Throws `DataDirectoryError`. */
export function forgetNode(path: string, node: string): boolean {
  const { nodeId, forgotten, change, release } = holdNode(path);
  try {
    if (node === nodeId)
      throw new DataDirectoryError(
        `${path} belongs to node ${node} itself; name a node that is gone.`,
      );
    change({ forgotten: [...new Set([...forgotten, node])] });
    return !forgotten.includes(node);
  } finally {
    release();
  }
}

export interface LossSurvey {
  readonly path: string;
  /** The shard's number, or `directory`. */
  readonly shard: string;
  readonly access: NatsAccess;
  readonly domain: Domain;
  readonly nowMs: number;
  /** Whether the shard may resume from this node's records, unless another node has more. */
  readonly accepts: boolean;
  /** Called while NATS starts or elects a leader; the request is repeated for some time. */
  readonly onWait: () => void;
}

/** Throws `DataDirectoryError`, `PortError` and `StoreDamage`. */
export async function surveyLoss(survey: LossSurvey): Promise<ShardLoss> {
  const node = holdNode(survey.path);
  try {
    const place = findShard(node, survey.shard);
    const loss = await readShard(survey, place, (known) => compare(survey, place, node, known));
    const { own } = loss;
    if (!survey.accepts) return loss;
    const better = loss.others.find(
      ({ state, epoch, seq }) =>
        state === "owning" || epoch > own.epoch || (epoch === own.epoch && seq > own.seq),
    );
    if (better !== undefined)
      throw new DataDirectoryError(
        better.state === "owning"
          ? `Node ${better.node} owns shard ${survey.shard}; start this node, and it will follow that one.`
          : `Node ${better.node} has more records of shard ${survey.shard}; run the command there.`,
      );
    const { epoch, seq } = loss.isLogKept && loss.log !== undefined ? loss.log : own;
    const others = node.acceptedLosses.filter(({ shard }) => shard !== place.shard);
    node.change({ acceptedLosses: [...others, { shard: place.shard, epoch, seq }] });
    return loss;
  } finally {
    node.release();
  }
}

function holdNode(path: string): HeldStore {
  const node = holdStore(path);
  if (node.isClustered) return node;
  node.release();
  throw new DataDirectoryError(
    `${path} is the store of a single machine, not of a node of a cluster.`,
  );
}

function findShard({ shardCount }: HeldStore, name: string): ShardPlace {
  const shard = name === "directory" ? shardCount : /^\d{1,3}$/.test(name) ? Number(name) : -1;
  if (name === "directory" || (shard >= 0 && shard < shardCount)) return { shard, shardCount };
  throw new DataDirectoryError(
    `There is no shard "${name}"; name one from 0 to ${shardCount - 1}, or directory.`,
  );
}

/** What the node itself has of the shard. */
interface Known {
  readonly own: Position;
  readonly owner: Owner;
  readonly tables: Tables;
}

/** Calls `use` while the shard's stores are open. */
async function readShard<Result>(
  { path, shard, domain, nowMs }: LossSurvey,
  place: ShardPlace,
  use: (known: Known) => Promise<Result>,
): Promise<Result> {
  const folder = join(path, `shard-${shard}`);
  const journal = openJournal(join(folder, "journal"));
  const tables = openTables(join(folder, "tables"));
  try {
    const { position, rows } = await recover(place, journal, tables, domain, nowMs);
    const owner = rows.row(ownerKey, 0) as Owner | undefined;
    if (owner !== undefined) return await use({ own: position, owner, tables });
  } finally {
    await journal.close();
    await tables.close();
  }
  throw new DataDirectoryError(
    `${path} has no records of shard ${shard}; run the command on a node that has some.`,
  );
}

/** Listens for as long as living nodes take to announce their positions. */
async function compare(
  { access, shard, onWait }: LossSurvey,
  { shard: number }: ShardPlace,
  { nodeId, forgotten }: HeldStore,
  { own, owner, tables }: Known,
): Promise<ShardLoss> {
  const connection = await connectNats({ ...access, name: "klieg shard rebuild" });
  const peers = natsPeers(connection, shard);
  const latestOwner = new LatestOwner(nodeId, tables);
  const standbys = new Standbys(number, nodeId, forgotten, peers, systemClock, latestOwner);
  const others = new Map<string, Announcement>();
  try {
    const silence = peers.onAnnounced((it) => others.set(it.node, it));
    const log = await openJetStreamLog(connection, shard);
    const { record } = await patiently(() => log.agreedEnd(), onWait);
    await pause(2 * limits.cluster.announceMs);
    silence();
    const { kind } = await patiently(() => findPlace(log, own), onWait);
    const members = standbys.rememberNodes(owner.members);
    const { isComplete, ahead } = standbys.survey(own, { ...owner, members });
    return {
      shard,
      own,
      owner,
      log: record && readHead(record),
      isLogKept: kind === "found",
      others: [...others.values()],
      isNothingLost: isComplete && ahead.length === 0,
    };
  } finally {
    standbys.close();
    await connection.close();
  }
}
