/**
 * A cluster in one thread: nodes that run real shards over simulated clocks, disks, network, logs
 * and objects, all of whose randomness comes from one seed. It records what happens, in words, and
 * what was found broken.
 */
import { createHash } from "node:crypto";
import { limits } from "../../../config/limits.ts";
import { memoryObjects } from "../../../engine/adapters/objects/memory-objects.ts";
import type { Domain } from "../../../engine/domain.ts";
import { StoreDamage } from "../../../engine/ports/store-damage.ts";
import { computeHash, countWrites, readHead } from "../../../engine/record.ts";
import { describeWait } from "../../../engine/shard/waiting.ts";
import type { ShardEvent } from "../../../engine/wire.ts";
import { Dice } from "./dice.ts";
import { History } from "./history.ts";
import { diskFault, type SimDisk } from "./sim-disk.ts";
import { SimLog } from "./sim-log.ts";
import { SimNetwork } from "./sim-network.ts";
import { SimNode } from "./sim-node.ts";
import { SimReshard } from "./sim-reshard.ts";
import type { NodeDisks, Surroundings, Work, WorkParts } from "./surroundings.ts";
import { Timeline } from "./timeline.ts";

export interface ClusterOptions {
  readonly seed: number;
  readonly domain: Domain;
  readonly nodes: number;
  readonly shardCount: number;
  readonly isQuorum: boolean;
  readonly openWork: (parts: WorkParts) => Work;
}

const digestedAtOnce = 50_000;
/** What was released earlier is on the disk of each standby that is close behind. */
const closeMs = 1_000;
/** Highest age of what a follower lets be read: a record may follow a silence that is allowed. */
export const oldMax = 2 * limits.cluster.staleMs;
/** How many of the last events a failure shows. */
const shownMax = Number(process.env["TEST_EVENTS_SHOWN"] ?? 50);

export class SimCluster {
  readonly dice: Dice;
  readonly timeline = new Timeline();
  readonly network: SimNetwork;
  readonly nodes: SimNode[];
  history: History;
  /** A store that is to have more shards, and no node starts. */
  resharding: SimReshard | undefined;
  readonly isQuorum: boolean;
  /** Promises that were found broken. */
  readonly wrong: string[] = [];
  /** Whether faults have ended, so that a provider loses no submit either. */
  areFaultsOver = false;
  /** How the provider answers every submit; undefined for an answer that is drawn. */
  providerAnswer: "busy" | "silent" | undefined;
  /** When the directory's log last lacked something that was released. */
  partialMs = Number.NEGATIVE_INFINITY;
  /** Called when clients may find less than they were told; undefined where none can. */
  forgiveClients: (() => void) | undefined;
  private readonly around: Surroundings;
  private readonly digest = createHash("sha256");
  private undigested = "";
  private readonly last: string[] = [];

  constructor({ seed, domain, nodes, shardCount, isQuorum, openWork }: ClusterOptions) {
    this.dice = new Dice(seed);
    const { dice, timeline } = this;
    this.isQuorum = isQuorum;
    this.network = new SimNetwork(timeline, dice);
    this.history = new History(shardCount + 1);
    this.around = {
      timeline,
      dice,
      network: this.network,
      objects: memoryObjects(),
      logs: Array.from({ length: shardCount + 1 }, () => new SimLog(timeline, dice)),
      storeLog: new SimLog(timeline, dice),
      storeId: "store",
      domain,
      isQuorum,
      shardCount,
      processes: 0,
      openWork,
      onEvent: (node, shard, event) => this.hear(node, shard, event),
      onEnd: (node, shard, error) => this.end(node, shard, error),
      onTrim: (node, shard, seq, heard) => {
        for (const [other, reached] of heard)
          if (seq > reached)
            this.fail(
              `${node.name} drops record ${seq} of shard ${shard}, and ${other} has ${reached}`,
            );
      },
      onBrokenStep: (_, error) => this.fail(`an actor broke a promise: ${String(error)}`),
      onFault: (sentence) => this.note(sentence),
    };
    this.nodes = Array.from({ length: nodes }, (_, at) => this.newNode(`n${at + 1}`, at === 0));
  }

  /** The directory's is the last. */
  get logs(): readonly SimLog[] {
    return this.around.logs;
  }

  get shardCount(): number {
    return this.around.shardCount;
  }

  /** While no node runs. */
  beginReshard(keeper: SimNode, shardCount: number): SimReshard {
    this.resharding = new SimReshard(keeper, shardCount, this.around);
    return this.resharding;
  }

  /** The store of `keeper` has the new shards; all other data directories are removed. */
  endReshard(keeper: SimNode, { disks, newLogs, storeId }: SimReshard): void {
    for (const [shard, disk] of keeper.disks.entries()) {
      const wrong = this.history.findMissing(shard, disk);
      if (wrong !== undefined) this.fail(`${wrong}, after it was resharded`);
    }
    const { around } = this;
    around.shardCount = disks.length - 1;
    around.logs = newLogs;
    around.storeId = storeId;
    this.history = new History(disks.length);
    this.partialMs = this.timeline.nowMs;
    for (const node of this.nodes) {
      if (node === keeper) node.begin(disks);
      else node.loseDisks();
    }
    this.resharding = undefined;
  }

  /** Adds a new node, which has nothing. */
  add(name: string): SimNode {
    const node = this.newNode(name);
    this.nodes.push(node);
    return node;
  }

  /** Removes a node for good. */
  remove(node: SimNode): void {
    this.nodes.splice(this.nodes.indexOf(node), 1);
  }

  private newNode(name: string, isFounder = false): SimNode {
    return new SimNode(name, isFounder, this.around);
  }

  /** Whether a disk has the log's last record; otherwise the log's end may not be lost. */
  isLastElsewhere(shard: number): boolean {
    const record = this.logs[shard]?.lastRecord;
    if (record === undefined) return false;
    const { seq } = readHead(record);
    const hash = computeHash(record);
    return this.nodes.some(({ disks }) => disks[shard]?.hashes.get(seq) === hash);
  }

  /** Gives up what this node does not have, and nothing else. */
  acceptLoss(keeper: SimNode): void {
    for (const [shard, { last }] of keeper.disks.entries()) {
      this.note(`the operator accepts the loss of shard ${shard} behind record ${last.seq}`);
      this.history.accept(shard, last.seq);
    }
    keeper.acceptedLosses = keeper.disks.map(({ last }) => last);
    this.forgiveClients?.();
  }

  get allowsLoss(): boolean {
    return this.forgiveClients !== undefined;
  }

  /** Whether every shard has an owner and a whole log, and all other nodes closely follow it. */
  get isWell(): boolean {
    const { history, timeline } = this;
    return this.logs.every((_, shard) => {
      const least = history.lastSeqAt(shard, timeline.nowMs - closeMs);
      const isClose = ({ disks }: SimNode) => (disks[shard]?.lastSeq ?? 0) >= least;
      const isServed = this.nodes.every((node) => node.serves(shard) && isClose(node));
      const isWhole = this.nodes.every(({ disks }) =>
        this.hasLogged(shard, disks[shard]?.lastSeq ?? 0),
      );
      return isServed && isWhole && this.owners(shard).length > 0;
    });
  }

  /** Whether the owners have released what they have written, but for records under way. */
  get isReleased(): boolean {
    return this.logs.every((_, shard) => {
      const released = this.history.lastSeq(shard);
      const isClose = ({ disks }: SimNode) => (disks[shard]?.lastSeq ?? 0) <= released + 2;
      return this.owners(shard).every(isClose);
    });
  }

  /** Whether the log has the shard's record `seq`. */
  private hasLogged(shard: number, seq: number): boolean {
    const record = this.logs[shard]?.lastRecord;
    return record !== undefined && readHead(record).seq >= seq;
  }

  get running(): readonly SimNode[] {
    return this.nodes.filter(({ isRunning }) => isRunning);
  }

  /** Returns the nodes that answer reads of the shard as its owners. */
  owners(shard: number): readonly SimNode[] {
    return this.nodes.filter((node) => node.answersReads(shard));
  }

  note(happening: string): void {
    const line = `${this.timeline.nowMs} ${happening}`;
    this.undigested += line;
    if (this.undigested.length > digestedAtOnce) this.digestAll();
    this.last.push(line);
    if (this.last.length > shownMax) this.last.shift();
  }

  fail(sentence: string): void {
    this.note(`WRONG: ${sentence}`);
    this.wrong.push(sentence);
  }

  /** Digest of all events, which is the same for the same events. */
  get hash(): string {
    this.digestAll();
    return this.digest.copy().digest("hex");
  }

  private digestAll(): void {
    this.digest.update(this.undigested);
    this.undigested = "";
  }

  get lastHappenings(): readonly string[] {
    return this.last;
  }

  /** Checks what must hold at every instant between two events. */
  check(): void {
    this.noteDirectory();
    // Rows of the directory are read on every node, and may be some seconds old there.
    for (let shard = 0; shard < this.shardCount; shard++) {
      const owners = this.owners(shard);
      for (const { disks } of owners) {
        const disk = disks[shard];
        const wrong = disk && this.history.findMissing(shard, disk);
        if (wrong !== undefined) this.fail(wrong);
      }
      if (owners.length < 2) continue;
      const names = owners.map(({ name }) => name).join(" and ");
      this.fail(`${names} both answer reads of shard ${shard}`);
    }
  }

  private hear(node: NodeDisks, shard: number, event: ShardEvent): void {
    const disk = node.disks[shard];
    if (disk === undefined) return;
    const who = `${node.name}/${shard}`;
    switch (event.kind) {
      case "release": {
        if (event.record.length === 0 && event.replies.length === 0) return;
        const { record } = event;
        if (record.length > 0) {
          const { seq, epoch } = readHead(record);
          this.note(`${who} released record ${seq} of epoch ${epoch}`);
        }
        // A sign of life waits for no standby, and nothing rests on it.
        if (this.isQuorum && countWrites(record) === 0) return;
        const wrong = this.history.release(shard, record, disk, this.timeline.nowMs);
        if (wrong !== undefined) this.fail(wrong);
        if (this.isQuorum && record.length > 0) this.checkCopies(shard, record);
        return;
      }
      case "opened": {
        this.note(`${who} opened at record ${event.seq}`);
        return;
      }
      case "waiting":
        this.note(
          `${who} waits: ${event.wait === undefined ? "no more" : describeWait(String(shard), event.wait)}`,
        );
        return;
      case "following":
      case "standby":
      case "joining":
      case "leaving":
      case "unconfirmed":
        this.note(`${who} is ${event.kind}`);
        return;
      case "lease":
        if (shard === this.shardCount && event.endsMs >= this.timeline.nowMs)
          this.checkAge(node, disk);
        return;
      case "readable":
      case "applied":
      case "frozen":
      case "stuck":
      case "flushed":
      case "held":
      case "left":
        return;
    }
  }

  /** Notes the time at which the directory's log lacks what was released. */
  private noteDirectory(): void {
    const directory = this.shardCount;
    if (!this.hasLogged(directory, this.history.lastSeq(directory)))
      this.partialMs = this.timeline.nowMs;
  }

  /** Checks that a node that lets the directory be read has what was released some time ago. */
  private checkAge({ name }: NodeDisks, disk: SimDisk): void {
    const { timeline, history, shardCount } = this;
    if (!this.isDirectoryWhole) return;
    const least = history.lastSeqAt(shardCount, timeline.nowMs - oldMax);
    if (disk.lastSeq < least)
      this.fail(`${name} lets the directory be read at record ${disk.lastSeq}, not ${least}`);
  }

  /** Whether the log has been complete for long enough: followers cannot know what it lacks. */
  get isDirectoryWhole(): boolean {
    this.noteDirectory();
    return this.timeline.nowMs - this.partialMs >= 2 * oldMax;
  }

  /** Checks that with a quorum what leaves is on two disks. */
  private checkCopies(shard: number, record: Uint8Array): void {
    const { seq } = readHead(record);
    const hash = computeHash(record);
    const copies = this.nodes.filter(({ disks }) => {
      const disk = disks[shard];
      return disk !== undefined && (disk.hashes.get(seq) === hash || disk.joinedSeq > seq);
    });
    if (copies.length < 2 && countWrites(record) > 0)
      this.fail(`I3: record ${seq} of shard ${shard} left while it was on one disk`);
  }

  private end(node: string, shard: number, error: unknown): void {
    this.note(`${node}/${shard} ended: ${error === undefined ? "stopped" : String(error)}`);
    if (error === undefined) return;
    const isExpected =
      error instanceof Error && (error.name === "OwnershipLost" || error.message === diskFault);
    if (error instanceof StoreDamage || !isExpected)
      this.fail(`shard ${shard} of ${node} ended by ${String(error)}`);
  }
}
