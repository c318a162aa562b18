/**
 * Faults that break something only one behind the other and at their time, which draws of single
 * faults hardly ever hit. A scheme is carried out beside the clients, without other faults; it
 * begins when all is well, and gives up when that takes too long.
 */
import { limits } from "../../../config/limits.ts";
import { readHead } from "../../../engine/record.ts";
import { SchemeSteps, wellMs } from "./scheme-steps.ts";
import { oldMax } from "./sim-cluster.ts";

/** Yields how many milliseconds pass before the scheme goes on. */
type Scheme = Generator<number, void>;

const { silenceMs, isolatedMs, announceMs, appendMs, leaseMs, fetchMs } = limits.cluster;
/** Within which a log without faults has stored and delivered what was sent to it. */
const deliveredMs = 10;
/** More of them cost more than they show. */
const shardsMax = 4;

const weights = {
  deafOwner: 3,
  loneOwner: 3,
  interimOwner: 2,
  laterOwner: 2,
  staleServer: 2,
  forkedLog: 3,
  staleReader: 1,
  ignorant: 3,
  logAway: 3,
  loseDisk: 3,
  leave: 2,
  acceptLoss: 1,
  reshard: 4,
};

export class Schemes extends SchemeSteps {
  private current: Scheme | undefined;

  get isUnderWay(): boolean {
    return this.current !== undefined;
  }

  /** Begins a scheme in place of the one that is under way. */
  begin(name: keyof typeof weights = this.pickName()): void {
    this.cluster.note(`a scheme begins: ${name}`);
    this.current = this[name]();
    this.goOn();
  }

  /** Gives up the current scheme; what it has done is not undone. */
  giveUp(): void {
    this.current = undefined;
  }

  private pickName(): keyof typeof weights {
    const { dice, isQuorum, allowsLoss, shardCount } = this.cluster;
    return dice.weigh({
      ...weights,
      loseDisk: isQuorum ? weights.loseDisk : 0,
      acceptLoss: allowsLoss ? weights.acceptLoss : 0,
      reshard: shardCount < shardsMax ? weights.reshard : 0,
    });
  }

  private goOn(): void {
    const { current } = this;
    const next = current?.next();
    if (next === undefined || this.current !== current) return;
    if (next.done === true) this.current = undefined;
    else
      this.cluster.timeline.after(undefined, next.value, () => {
        if (this.current === current) this.goOn();
      });
  }

  /** Cuts an owner off from the nodes; it loses the log, whose end is lost, within its lease. */
  private *deafOwner(): Scheme {
    const { dice, network } = this.cluster;
    if (!(yield* this.becomeWell())) return;
    const owned = this.pickOwned();
    if (owned === undefined) return;
    const { shard, owner, log } = owned;
    for (const other of this.others(owner)) network.cuts.add(`${owner.name}>${other.name}`);
    yield silenceMs + dice.between(500, 1_500);
    this.cluster.note(`${owner.name} loses log ${shard}, whose end is lost`);
    owner.isLogCutOut = true;
    // What no other node has received, and whose only node is not heard, would be lost for good.
    yield deliveredMs;
    log.lose(dice.percent(50) ? 0 : Math.max(0, log.end - dice.between(1, 10)));
    yield dice.between(3_000, 5_000);
    network.cuts.clear();
    yield dice.between(0, 4_000);
    owner.isLogCutOut = false;
  }

  /** A node owns what no other one follows; then it is gone, and the log is trimmed or not. */
  private *loneOwner(): Scheme {
    const { dice, network, nodes, logs, shardCount } = this.cluster;
    if (!(yield* this.becomeWell())) return;
    const lone = dice.pick(nodes);
    const others = this.others(lone);
    const shard = dice.between(0, shardCount);
    this.cluster.note(`${lone.name} alone reaches the log`);
    this.cutLogs(others, true);
    // They cannot know then that there has been another owner.
    if (dice.percent(50)) for (const { name } of others) network.cuts.add(`${lone.name}>${name}`);
    yield* this.awaitOwner(lone, shard);
    if (lone.owns(shard)) {
      yield dice.between(500, 1_500);
      if (dice.percent(70))
        for (const [at, log] of logs.entries())
          log.trim(log.end - (this.cluster.isLastElsewhere(at) ? 0 : 1));
      this.healing.kill(lone);
    }
    network.cuts.clear();
    this.cutLogs(others, false);
    yield dice.between(4_000, 9_000);
    this.healing.start(lone);
  }

  /** Another node owns the shard, which the owner before and after it does not hear. */
  private *interimOwner(): Scheme {
    const { cluster } = this;
    const { dice } = cluster;
    if (!(yield* this.becomeWell())) return;
    const owned = this.pickOwned();
    if (owned === undefined) return;
    const { shard, owner } = owned;
    const interim = dice.pick(this.others(owner));
    // The owner has submissions under way when it loses the shard, and the next one begins them.
    cluster.providerAnswer = "busy";
    yield dice.between(1_000, 3_000);
    cluster.note(`the provider is silent, and only ${interim.name} reaches the log`);
    this.cutLogs(this.others(interim), true);
    cluster.providerAnswer = "silent";
    yield* this.awaitOwner(interim, shard);
    yield dice.between(0, 400);
    interim.stop();
    cluster.providerAnswer = undefined;
    for (let passedMs = 0; interim.isRunning && passedMs < wellMs; passedMs += 100) yield 100;
    this.cutLogs([owner], false);
    // The last owner has to be heard, and leaves the shard to the one before it.
    interim.isDraining = true;
    this.healing.start(interim);
    yield wellMs;
  }

  /** A node owns while the others are gone; then the log loses that, and all come back together. */
  private *laterOwner(): Scheme {
    const taken = yield* this.takeOverAlone();
    if (taken === undefined) return;
    const { shard, later, others, log, endSeq } = taken;
    log.lose(endSeq);
    this.cluster.note(`log ${shard} has lost what ${later.name} wrote`);
    this.healing.start(later);
    yield silenceMs + this.cluster.dice.between(0, announceMs);
    for (const node of others) this.healing.start(node);
    // Until the log has the records again, they are in one place only.
    yield* this.becomeWell();
  }

  /** A node owns while the others are gone; they come back without it, and the log hides that. */
  private *staleServer(): Scheme {
    const taken = yield* this.takeOverAlone();
    if (taken === undefined) return;
    const { shard, later, others, log, endSeq } = taken;
    // Some of what the others have is hidden too, so that they take the log for one that lost it.
    log.showLess(log.end - endSeq + this.cluster.dice.between(1, 4));
    this.cluster.note(`log ${shard} does not show what ${later.name} wrote`);
    for (const node of others) this.healing.start(node);
    yield wellMs;
    log.showLess(0);
    yield* this.becomeWell();
  }

  /** A node begins an epoch in a log that lacks the owner's last records, and then has them. */
  private *forkedLog(): Scheme {
    const { dice, network } = this.cluster;
    if (!(yield* this.becomeWell())) return;
    const owned = this.pickOwned();
    if (owned === undefined) return;
    const { shard, owner, log } = owned;
    const others = this.others(owner);
    const endSeq = log.end;
    for (const node of others) {
      node.isMute = true;
      network.cuts.add(`${owner.name}>${node.name}`);
    }
    yield dice.between(300, fetchMs - 100);
    this.cutLogs([owner], true);
    yield deliveredMs;
    log.fork(endSeq);
    this.cluster.note(`log ${shard} is led by a server that lacks what ${owner.name} wrote`);
    for (const node of others) node.isMute = false;
    for (let passedMs = 0; log.end === endSeq && passedMs < appendMs; passedMs += 10) yield 10;
    yield dice.between(0, leaseMs - 500);
    log.endFork();
    this.cluster.note(`log ${shard} is led by the others again`);
    network.cuts.clear();
    this.cutLogs([owner], false);
    if (dice.percent(50)) {
      yield dice.between(0, silenceMs);
      for (const node of [owner, ...others]) this.healing.kill(node);
      for (const node of dice.percent(50) ? [...others, owner] : [owner, ...others]) {
        this.healing.start(node);
        yield dice.between(0, 1_500);
      }
    }
    yield* this.becomeWell();
  }

  /** A node comes back while a log does not show what was written meanwhile. */
  private *staleReader(): Scheme {
    const { dice, nodes, logs } = this.cluster;
    if (!(yield* this.becomeWell())) return;
    const reader = dice.pick(nodes);
    const ends = logs.map(({ end }) => end);
    this.healing.kill(reader);
    yield dice.between(2 * oldMax, 3 * oldMax);
    for (const [at, log] of logs.entries()) log.showLess(log.end - (ends[at] ?? 0));
    this.cluster.note(`logs do not show what was written without ${reader.name}`);
    this.healing.start(reader);
    yield dice.between(1_000, 5_000);
    for (const log of logs) log.showLess(0);
  }

  /** Kills all nodes but one, and that one when it has owned a shard of the others for a while. */
  private *takeOverAlone() {
    const { dice } = this.cluster;
    if (!(yield* this.becomeWell())) return undefined;
    const owned = this.pickOwned();
    if (owned === undefined) return undefined;
    const { shard, owner, log } = owned;
    const later = yield* this.pickSuccessor(owner);
    const others = this.others(later);
    const endSeq = log.end;
    for (const node of others) this.healing.kill(node);
    const mostMs = 2 * (silenceMs + isolatedMs);
    for (let passedMs = 0; !later.owns(shard) && passedMs < mostMs; passedMs += 100) yield 100;
    yield dice.between(500, 1_500);
    this.healing.kill(later);
    return { shard, later, others, log, endSeq };
  }

  /** Standbys know that the owner has more than they have; it dies, and the log lacks that too. */
  private *ignorant(): Scheme {
    const { dice } = this.cluster;
    if (!(yield* this.becomeWell())) return;
    const owned = this.pickOwned();
    if (owned === undefined) return;
    const { shard, owner, log } = owned;
    const others = this.others(owner);
    this.cutLogs(others, true);
    const knownNodes = () => Math.max(...others.map(({ disks }) => disks[shard]?.lastSeq ?? 0));
    const areTold = () =>
      others.every(({ heard }) => (heard[shard]?.get(owner.name) ?? 0) > knownNodes());
    yield announceMs;
    for (let leftMs = silenceMs - announceMs - 500; leftMs > 0 && !areTold(); leftMs -= 100)
      yield 100;
    const isLost = areTold();
    this.healing.kill(owner);
    // The log may also hold records that the owner had not released yet.
    const endSeq = log.lastRecord === undefined ? 0 : readHead(log.lastRecord).seq;
    const more = Math.max(0, endSeq - knownNodes());
    if (isLost) {
      log.lose(Math.max(0, log.end - more));
      this.cluster.note(`log ${shard} has lost ${more} records that no other node has`);
    }
    this.cutLogs(others, false);
    yield dice.between(5_000, 9_000);
    this.healing.start(owner);
    // Until the log has the records again, they are in one place only.
    yield* this.becomeWell();
  }

  /** A log is away until its owner gives it up, while that node's other shards send it tells. */
  private *logAway(): Scheme {
    const { dice, logs } = this.cluster;
    if (!(yield* this.becomeWell())) return;
    const log = dice.pick(logs);
    this.cluster.note(`log ${logs.indexOf(log)} is away for long`);
    log.isAway = true;
    yield appendMs + dice.between(500, 2_500);
    log.isAway = false;
    yield dice.between(500, 5_000);
  }

  /** Loses one disk: with a quorum, what was acknowledged survives that. */
  private *loseDisk(): Scheme {
    const { dice, nodes } = this.cluster;
    if (!(yield* this.becomeWell())) return;
    const node = dice.pick(nodes);
    this.cluster.note(`${node.name} loses its disk`);
    this.healing.kill(node);
    yield dice.between(0, 6_000);
    node.loseDisks();
    this.healing.start(node);
    // Until the node's disk is what it was, no other disk may be lost.
    yield* this.becomeWell();
  }

  /** A node is gone for good: the others are told so in turn, and a new one joins. */
  private *leave(): Scheme {
    const { cluster } = this;
    const { dice, nodes } = cluster;
    if (nodes.length < 4 || !(yield* this.becomeWell())) return;
    const gone = dice.pick(nodes);
    if (dice.percent(50)) gone.stop();
    yield dice.between(0, 3_000);
    cluster.note(`${gone.name} leaves for good`);
    gone.kill();
    cluster.remove(gone);
    if (!(yield* this.becomeWell())) return;
    for (const node of [...nodes]) {
      node.kill();
      node.forgotten = [...node.forgotten, gone.name];
      yield dice.between(0, 500);
      this.healing.start(node);
      if (!(yield* this.becomeWell())) return;
    }
    this.healing.start(this.addNode());
  }

  /** The store gets more shards while all nodes are stopped, by a command that may be killed. */
  private *reshard(): Scheme {
    const { cluster } = this;
    const { dice, nodes, shardCount } = cluster;
    if (!(yield* this.becomeWell())) return;
    const keeper = dice.pick(nodes);
    // Who owned all at last has all; another has to find the last owner's last word in the log.
    const isLast = dice.percent(60);
    const others = this.others(keeper);
    const ownsAll = () => cluster.logs.every((_, shard) => keeper.owns(shard));
    for (const node of isLast ? [...others, keeper] : [keeper, ...others]) {
      if (isLast && node === keeper) {
        for (let passedMs = 0; !ownsAll() && passedMs < wellMs; passedMs += 100) yield 100;
        if (!ownsAll()) return;
      }
      cluster.note(`${node.name} stops, as all are to`);
      node.stop();
      for (let passedMs = 0; node.isRunning && passedMs < wellMs; passedMs += 100) yield 100;
      if (node.isRunning) return;
    }
    if (this.isCutOff(keeper)) return;
    const reshard = cluster.beginReshard(keeper, 2 * shardCount);
    for (;;) {
      cluster.note(`klieg reshard ${2 * shardCount} runs on ${keeper.name}`);
      const command = reshard.run();
      if (dice.percent(50)) {
        yield dice.between(1, 3 * silenceMs);
        command.kill();
        if (command.outcome === undefined) continue;
      }
      while (command.outcome === undefined) yield 100;
      const { outcome } = command;
      if (outcome === "done") break;
      cluster.note(`klieg reshard refuses: ${outcome.refusal}`);
      cluster.fail("klieg reshard refuses although every node was stopped in order");
      return;
    }
    cluster.endReshard(keeper, reshard);
    this.healing.start(keeper);
    for (const node of others) {
      yield dice.between(0, 3_000);
      this.healing.start(node);
    }
    if (!(yield* this.becomeWell()))
      cluster.fail("the store has more shards, and the cluster is not well");
  }

  /** All disks but one, and the log, are lost; by command that node goes on with what it has. */
  private *acceptLoss(): Scheme {
    const { cluster } = this;
    const { dice, nodes, logs } = cluster;
    if (!(yield* this.becomeWell())) return;
    const keeper = dice.pick(nodes);
    for (const node of nodes) this.healing.kill(node);
    for (const node of this.others(keeper)) node.loseDisks();
    for (const log of logs) log.lose();
    cluster.acceptLoss(keeper);
    this.healing.start(keeper);
    for (const node of this.others(keeper)) {
      yield dice.between(0, 3_000);
      this.healing.start(node);
    }
    if (!(yield* this.becomeWell()))
      cluster.fail("a loss was accepted, and the cluster is not well");
  }
}
