/**
 * A node of a simulated cluster: real shards, a real gateway and outbox, tied together as
 * `engine/host.ts` and the effects thread tie them. What is on its disks outlives its processes.
 */
import { limits } from "../../../config/limits.ts";
import { memoryTables } from "../../../engine/adapters/memory/memory-stores.ts";
import { ClusterNodes } from "../../../engine/cluster/cluster-nodes.ts";
import { Elsewhere } from "../../../engine/cluster/elsewhere.ts";
import { RemoteTells } from "../../../engine/cluster/remote-tells.ts";
import { Gateway } from "../../../engine/gateway.ts";
import type { Key } from "../../../engine/key.ts";
import { Outbox } from "../../../engine/outbox.ts";
import type { ShardRole } from "../../../engine/ports/nodes.ts";
import type { Peers } from "../../../engine/ports/peers.ts";
import { StoreDamage } from "../../../engine/ports/store-damage.ts";
import { ProcessClock } from "../../../engine/process-clock.ts";
import { ClusterShard } from "../../../engine/shard/cluster-shard.ts";
import { allRows, writeSnapshot } from "../../../engine/shard/snapshot.ts";
import type { ShardEvent, ToShard } from "../../../engine/wire.ts";
import { SimDisk } from "./sim-disk.ts";
import type { Surroundings, Work } from "./surroundings.ts";
import { Life, LifeClock } from "./timeline.ts";

/** A shard's thread. */
interface ShardLife {
  readonly life: Life;
  readonly cluster: ClusterShard;
  isOwning: boolean;
  /** Steps that broke since the last release; no fault if the shard has lost its ownership. */
  readonly broken: (readonly [Key, unknown])[];
}

/** The node's process. */
interface NodeLife {
  readonly life: Life;
  readonly clock: ProcessClock;
  readonly gateway: Gateway;
  readonly outbox: Outbox;
  readonly tells: RemoteTells;
  readonly known: ClusterNodes;
  readonly work: Work;
  readonly shards: (ShardLife | undefined)[];
  readonly deaths: number[];
  isStopping: boolean;
}

const startMs = Date.UTC(2026, 10, 20, 12);

export class SimNode {
  readonly name: string;
  disks: readonly SimDisk[];
  /** Difference between the node's wall clock and the others'. */
  wallOffsetMs = 0;
  isLogCutOut = false;
  isLogCutIn = false;
  isMute = false;
  isDraining = false;
  isPaused = false;
  /** How far other nodes said that they are, by shard and node. */
  readonly heard: Map<string, number>[] = [];
  /** Whether the store began on it. */
  isFounder: boolean;
  forgotten: readonly string[] = [];
  /** By shard, the record from which the operator allows the node to go on. */
  acceptedLosses: readonly { readonly epoch: number; readonly seq: number }[] = [];
  private readonly around: Surroundings;
  private lives = 0;
  private snapshots = 0;
  private process: NodeLife | undefined;

  constructor(name: string, isFounder: boolean, around: Surroundings) {
    this.name = name;
    this.isFounder = isFounder;
    this.around = around;
    this.disks = this.emptyDisks();
  }

  get isRunning(): boolean {
    return this.process !== undefined;
  }

  get gateway(): Gateway | undefined {
    return this.process?.gateway;
  }

  owns(shard: number): boolean {
    return this.process?.shards[shard]?.isOwning === true;
  }

  /** Whether the node owns the shard or is ready to take it over. */
  serves(shard: number): boolean {
    return this.owns(shard) || this.gateway?.isStandby(shard) === true;
  }

  /** Whether the node answers reads of the shard as its owner at this moment. */
  answersReads(shard: number): boolean {
    const { process } = this;
    if (process === undefined || this.isPaused) return false;
    const { gateway } = process;
    return gateway.reads(shard) && process.shards[shard]?.isOwning === true;
  }

  start(): void {
    const { timeline, network, shardCount, domain } = this.around;
    const life = new Life();
    const clock = new ProcessClock(new LifeClock(timeline, life, () => this.wallMs));
    const station = { node: this.name, life };
    const nodes = network.openNodes(station);
    const listener = {
      listens: () => false,
      onChange() {},
      onMiss() {},
      onLeave: (shard: number) => work.drain(shard),
      onFailure() {},
    };
    const firstRequest = 1 + ++this.around.processes * 1_000_000;
    const gateway = new Gateway(shardCount, clock, listener, domain, firstRequest);
    const known = new ClusterNodes(() => this.presence(gateway), nodes, clock);
    const line = network.openLine(station, "ask");
    gateway.connect(new Elsewhere({ line, nodes, known, clock }));
    nodes.onReply(this.name, ({ request, reply }) => gateway.onReply(request, reply));
    const tells = new RemoteTells(network.openLine(station, "tell"));
    const shards: (ShardLife | undefined)[] = [];
    const outbox = new Outbox(shardCount, {
      sendElsewhere: tells.send,
      send: (shard, message) => {
        const own = shards[shard];
        // The message crosses threads, like all messages; the shard may be gone when it arrives.
        if (own !== undefined)
          timeline.after(own.life, 0, () => own.cluster.shard?.receive(message, "settle"));
      },
      perform: (delivery) => work.perform(delivery),
      onFault: () => {},
      after: (delayMs, run) => void clock.after(delayMs, run),
    });
    const work = this.around.openWork({ clock, outbox, gateway, node: this.name });
    const deaths = new Array<number>(shardCount + 1).fill(0);
    const isStopping = false;
    this.process = {
      life,
      clock,
      gateway,
      outbox,
      tells,
      known,
      work,
      shards,
      deaths,
      isStopping,
    };
    known.open();
    for (let shard = 0; shard <= shardCount; shard++) this.startShard(this.process, shard);
  }

  /** Ends the node's process as a power cut would. */
  kill(): void {
    const { process } = this;
    if (process === undefined) return;
    process.life.isOver = true;
    for (const shard of process.shards) if (shard !== undefined) shard.life.isOver = true;
    for (const disk of this.disks) disk.crash();
    this.process = undefined;
    this.isPaused = false;
  }

  /** Makes the node hand over what it owns and end; see `isRunning`. */
  stop(): void {
    const { process } = this;
    if (process === undefined || process.isStopping) return;
    process.isStopping = true;
    for (const shard of process.shards) {
      if (shard?.cluster.shard === undefined) shard?.cluster.stop();
      else shard.cluster.shard.stop();
    }
    this.endIfStopped(process);
  }

  drain(): void {
    this.isDraining = true;
    for (const shard of this.process?.shards ?? []) shard?.cluster.drain();
  }

  pause(): void {
    this.isPaused = true;
    for (const life of this.allLives()) life.isPaused = true;
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    for (const life of this.allLives()) this.around.timeline.resume(life);
  }

  /** Loses the disks for good, after `kill`; the node comes back as a new one. */
  loseDisks(): void {
    this.isFounder = false;
    this.disks = this.emptyDisks();
  }

  /** While it is stopped: what it has is the store from now on. */
  begin(disks: readonly SimDisk[]): void {
    this.isFounder = true;
    this.forgotten = [];
    this.acceptedLosses = [];
    this.disks = disks;
  }

  /** What its wall clock has shown at the beginning of the simulation. */
  get wallMs(): number {
    return startMs + this.wallOffsetMs;
  }

  /** A process that stops ends with its last shard. */
  private endIfStopped({ isStopping, shards }: NodeLife): void {
    if (isStopping && shards.every((one) => one === undefined)) this.kill();
  }

  private emptyDisks(): SimDisk[] {
    const { timeline, dice, shardCount } = this.around;
    return Array.from({ length: shardCount + 1 }, () => new SimDisk(timeline, dice));
  }

  private allLives(): Life[] {
    const { process } = this;
    if (process === undefined) return [];
    return [process.life, ...process.shards.flatMap((shard) => (shard ? [shard.life] : []))];
  }

  private presence(gateway: Gateway) {
    const { shardCount } = this.around;
    const shards: ShardRole[] = [];
    for (let shard = 0; shard <= shardCount; shard++) {
      if (gateway.owns(shard)) shards.push({ shard, role: "owner" });
      else if (gateway.isStandby(shard)) shards.push({ shard, role: "standby" });
    }
    const directorySeq = gateway.reads(shardCount) ? gateway.getSeq(shardCount) : 0;
    return {
      node: this.name,
      name: this.name,
      address: this.name,
      version: "1",
      status: "live" as const,
      startedAtMs: 0,
      atMs: 0,
      warnings: [],
      shards,
      directorySeq,
      firstRequest: gateway.firstRequest,
    };
  }

  private startShard(process: NodeLife, shard: number): void {
    const { timeline, network, logs, objects, domain, isQuorum, shardCount } = this.around;
    const store = this.around.storeId;
    const { name: node, isFounder, isDraining, forgotten } = this;
    const life = new Life();
    const station = { node, life };
    const clock = new LifeClock(timeline, life, () => this.wallMs);
    const disk = this.disks[shard];
    const log = logs[shard];
    const heard = new Map<string, number>();
    this.heard[shard] = heard;
    if (disk === undefined || log === undefined) throw new Error(`there is no shard ${shard}`);
    const nonce = `${node} ${++this.lives}`;
    const tables = disk.openTables(life);
    const cluster = new ClusterShard({
      place: { shard, shardCount },
      domain,
      node,
      isFounder,
      isQuorum,
      isDraining,
      forgotten,
      nonce,
      store,
      acceptedLoss: this.acceptedLosses[shard],
      stores: {
        clock,
        tables,
        startMs: process.clock.nowMs(),
        journal: disk.openJournal(life, (seq) => this.around.onTrim(this, shard, seq, heard)),
      },
      outlets: {
        event: (event) => this.receive(process, shard, own, event),
        deliver: (deliveries, acknowledged) => {
          process.outbox.acknowledge(acknowledged);
          process.outbox.deliver(shard, deliveries);
        },
        brokenStep: (actor, error) => void own.broken.push([actor, error]),
        report: () => {},
        flushes: () => {},
      },
      log: log.open({
        life,
        sends: () => !this.isLogCutOut,
        hears: () => !this.isLogCutIn,
        isMute: () => this.isMute,
      }),
      peers: listen(network.openPeers(station, shard), heard),
      snapshots: network.openSnapshots(station, shard),
      makeSnapshot: async () => {
        const view = memoryTables();
        const rows = tables.range(allRows, Number.POSITIVE_INFINITY);
        await view.write(rows.map(({ key, text }) => [key, text]));
        const number = `${node}-${++this.snapshots}`;
        return writeSnapshot(view, objects, { store, shard, nonce: number });
      },
      openObjects: async () => objects,
      onFault: (sentence, error) => this.around.onFault(`${sentence}: ${String(error)}`),
    });
    const own: ShardLife = { life, cluster, isOwning: false, broken: [] };
    process.shards[shard] = own;
    if (this.isPaused) life.isPaused = true;
    cluster.run().then(
      () => this.onEnd(process, shard, own, undefined),
      (error: unknown) => this.onEnd(process, shard, own, error),
    );
  }

  private onEnd(process: NodeLife, shard: number, own: ShardLife, error: unknown): void {
    if (own.life.isOver) return;
    own.life.isOver = true;
    own.isOwning = false;
    process.shards[shard] = undefined;
    this.disks[shard]?.crash();
    this.around.onEnd(this.name, shard, error);
    if (error instanceof StoreDamage) return;
    process.outbox.onClose(shard);
    process.tells.withdraw(shard);
    process.gateway.detach(shard, shard === this.around.shardCount && error === undefined);
    this.endIfStopped(process);
    if (process.isStopping) return;
    const deaths = process.deaths[shard] ?? 0;
    process.deaths[shard] = deaths + 1;
    const { restartDelayMs, restartDelayMaxMs } = limits.engine;
    process.clock.after(Math.min(restartDelayMs * 2 ** deaths, restartDelayMaxMs), () => {
      if (!process.isStopping) this.startShard(process, shard);
    });
  }

  /** Handles a shard's event as the host does. */
  private receive(process: NodeLife, shard: number, own: ShardLife, event: ShardEvent): void {
    const { gateway, outbox, tells, deaths } = process;
    if (own.life.isOver || event.kind === "held") return;
    this.around.onEvent(this, shard, event);
    if (event.kind === "release" && event.record.length > 0)
      for (const [actor, error] of own.broken.splice(0)) this.around.onBrokenStep(actor, error);
    const { shardCount } = this.around;
    const reader = () => this.createReader(shard, own);
    if (event.kind === "following" || event.kind === "joining") {
      const isRead = event.kind === "following" && shard === shardCount;
      if (!isRead) gateway.leaveElsewhere(shard);
      else if (!gateway.reads(shard)) gateway.attach(shard, undefined, reader());
    }
    if (event.kind === "standby" || event.kind === "left") process.work.onLeave(shard);
    if (event.kind === "left") return;
    if (event.kind === "opened") {
      deaths[shard] = 0;
      own.isOwning = true;
      const send = (message: ToShard) =>
        void this.around.timeline.after(own.life, 0, () => own.cluster.shard?.handle(message));
      gateway.attach(shard, send, reader());
      outbox.onOpen(shard);
      tells.receive(shard, outbox);
      // What the node is told while it opens the shard takes effect once the shard is open.
      if (process.isStopping) process.clock.after(0, () => own.cluster.shard?.stop());
    }
    if (event.kind !== "waiting") gateway.event(shard, event);
  }

  private createReader(shard: number, own: ShardLife) {
    const disk = this.disks[shard];
    if (disk === undefined) throw new Error(`there is no shard ${shard}`);
    return disk.openTables(own.life);
  }
}

/** Notes how far each other node said that it is. */
function listen(peers: Peers, heard: Map<string, number>): Peers {
  return {
    announce: (announcement) => peers.announce(announcement),
    onAnnounced: (listener) =>
      peers.onAnnounced((announcement) => {
        const { node, seq, state } = announcement;
        if (state === "joining") heard.delete(node);
        else heard.set(node, seq);
        listener(announcement);
      }),
  };
}
