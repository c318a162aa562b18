/**
 * Everything that may go wrong in a simulated cluster, drawn step by step, and how faults end.
 * Faults that may lose acknowledged data are left out: a disk that is lost for good together with
 * the log's end.
 */
import { readHead } from "../../../engine/record.ts";
import { Healing } from "./healing.ts";
import { Schemes } from "./schemes.ts";
import type { SimCluster } from "./sim-cluster.ts";
import type { SimNode } from "./sim-node.ts";

const weights = {
  kill: 6,
  killAll: 1,
  start: 14,
  stop: 3,
  pause: 5,
  resume: 10,
  cut: 6,
  heal: 8,
  cutLog: 6,
  healLog: 10,
  mute: 3,
  flaky: 6,
  calm: 6,
  logAway: 2,
  logBack: 8,
  unanswered: 5,
  showLess: 3,
  showAll: 6,
  loseEnd: 1,
  loseAll: 1,
  trimAhead: 2,
  forgetIds: 2,
  wallClock: 3,
  drain: 1,
  undrain: 4,
  disk: 2,
  disks: 6,
  scheme: 2,
} as const;

type Fault = keyof typeof weights;

export class Faults {
  private readonly cluster: SimCluster;
  /**
   * The last released record of each shard whose log has lost its end. Until the log has it again
   * no node is stopped: of two that are separated, neither may know more than the other has.
   */
  private readonly lostSeqs = new Map<number, number>();

  private readonly healing: Healing;
  readonly schemes: Schemes;

  constructor(cluster: SimCluster) {
    this.cluster = cluster;
    this.healing = new Healing(cluster);
    this.schemes = new Schemes(cluster, this.healing);
  }

  draw(): void {
    if (!this.schemes.isUnderWay) this.carryOut(this.cluster.dice.weigh(weights));
  }

  /** Ends all faults. */
  end(): void {
    this.cluster.note("faults cease");
    this.cluster.areFaultsOver = true;
    this.schemes.giveUp();
    this.healing.heal();
  }

  private carryOut(fault: Fault): void {
    const { cluster } = this;
    const { dice, network, nodes, running } = cluster;
    const node = dice.pick(nodes);
    const { isQuiet } = this;
    const log = dice.pick(cluster.logs);
    switch (fault) {
      case "kill":
        if (node.isRunning && !isQuiet) this.healing.kill(node);
        return;
      case "killAll":
        if (isQuiet || !dice.percent(40)) return;
        for (const one of running) this.healing.kill(one);
        return;
      case "start":
        this.healing.start(node);
        return;
      case "stop":
        if (!node.isRunning || node.isPaused || isQuiet) return;
        cluster.note(`${node.name} stops`);
        node.stop();
        return;
      case "pause":
        if (!node.isRunning || node.isPaused || isQuiet) return;
        cluster.note(`${node.name} stands still`);
        node.pause();
        return;
      case "resume":
        if (!node.isPaused) return;
        cluster.note(`${node.name} goes on`);
        node.resume();
        return;
      case "cut":
        this.cut(node);
        return;
      case "heal":
        if (network.cuts.size > 0) cluster.note("all ways between nodes are open");
        network.cuts.clear();
        return;
      case "cutLog":
        if (isQuiet) return;
        if (dice.percent(60)) node.isLogCutOut = true;
        if (dice.percent(60)) node.isLogCutIn = true;
        cluster.note(`${node.name} is cut off the log: ${node.isLogCutOut} ${node.isLogCutIn}`);
        return;
      case "healLog":
        node.isLogCutIn = false;
        node.isLogCutOut = false;
        node.isMute = false;
        return;
      case "mute":
        if (isQuiet) return;
        node.isMute = true;
        cluster.note(`${node.name} is delivered nothing of the log`);
        return;
      case "flaky":
        if (isQuiet) return;
        network.lost = dice.pick([0, 5, 40]);
        network.late = dice.pick([0, 10, 40]);
        network.doubled = dice.pick([0, 10, 40]);
        log.late = dice.pick([0, 10, 40]);
        cluster.note(
          `messages are lost, late, doubled: ${network.lost} ${network.late} ${network.doubled}`,
        );
        return;
      case "calm":
        network.lost = 0;
        network.late = 0;
        network.doubled = 0;
        for (const one of cluster.logs) one.late = 0;
        return;
      case "undrain":
        if (node.isDraining && !isQuiet) this.healing.undrain(node);
        return;
      case "drain":
        if (isQuiet || nodes.some(({ isDraining }) => isDraining)) return;
        cluster.note(`${node.name} drains`);
        node.drain();
        return;
      case "wallClock":
        node.wallOffsetMs += dice.pick([-60_000, -1_000, -20, 20, 1_000, 60_000]);
        cluster.note(`the wall clock of ${node.name} is off by ${node.wallOffsetMs}`);
        return;
      case "disk": {
        const disk = dice.pick(node.disks);
        if (isQuiet || disk.isFailing) return;
        cluster.note(`a disk of ${node.name} fails: of shard ${node.disks.indexOf(disk)}`);
        disk.isFailing = true;
        return;
      }
      case "disks":
        for (const { disks } of nodes) for (const disk of disks) disk.isFailing = false;
        return;
      case "scheme":
        if (!isQuiet) this.schemes.begin();
        return;
      default:
        this.harmLog(fault);
    }
  }

  private harmLog(
    fault:
      | "logAway"
      | "logBack"
      | "unanswered"
      | "showLess"
      | "showAll"
      | "loseEnd"
      | "loseAll"
      | "trimAhead"
      | "forgetIds",
  ): void {
    const { cluster } = this;
    const { dice, logs } = cluster;
    const shard = dice.between(0, logs.length - 1);
    const log = logs[shard];
    if (log === undefined) return;
    switch (fault) {
      case "logAway":
        if (this.isQuiet) return;
        log.isAway = true;
        break;
      case "logBack":
        for (const one of logs) one.isAway = false;
        return;
      case "unanswered":
        log.unanswered = dice.pick([0, 10, 50]);
        break;
      case "showLess":
        log.showLess(dice.between(1, 8));
        break;
      case "showAll":
        for (const one of logs) one.showLess(0);
        return;
      case "loseEnd":
        if (!this.isSafeToLose(shard)) return;
        log.lose(Math.max(0, log.end - dice.between(1, 20)));
        break;
      case "loseAll":
        if (!this.isSafeToLose(shard)) return;
        log.lose();
        break;
      case "trimAhead":
        log.trim(log.end - dice.between(cluster.isLastElsewhere(shard) ? 0 : 1, 5));
        break;
      case "forgetIds":
        log.forgetIds();
    }
    cluster.note(`log ${shard}: ${fault}, its end is ${log.end}`);
  }

  private get isQuiet(): boolean {
    for (const [shard, seq] of this.lostSeqs) {
      const record = this.cluster.logs[shard]?.lastRecord;
      if (record !== undefined && readHead(record).seq > seq) this.lostSeqs.delete(shard);
    }
    return this.lostSeqs.size > 0;
  }

  /**
   * A node that never received the records that a log has lost knows nothing of them, so a node
   * that sees the loss must have them before it can be gone itself. The others must hear of it in
   * time: a late message may come when they have taken its sender for gone.
   */
  private isSafeToLose(shard: number): boolean {
    const [owner] = this.cluster.owners(shard);
    const { network, logs, history } = this.cluster;
    if (owner === undefined || owner.isPaused || owner.isLogCutIn || owner.isLogCutOut)
      return false;
    if (owner.disks[shard]?.isFailing === true) return false;
    const { cuts, lost, late } = network;
    if (cuts.size > 0 || lost > 0 || late > 0 || logs[shard]?.isAway === true) return false;
    this.lostSeqs.set(shard, history.lastSeq(shard));
    return true;
  }

  /** Cuts one way or both, between a node and one other or all others. */
  private cut(node: SimNode): void {
    const { dice, nodes, network } = this.cluster;
    if (this.isQuiet) return;
    const others = nodes.filter((other) => other !== node);
    const [hears, speaks] = dice.pick([
      [true, true],
      [true, false],
      [false, true],
    ] as const);
    for (const other of dice.percent(50) ? others : [dice.pick(others)]) {
      if (hears) network.cuts.add(`${other.name}>${node.name}`);
      if (speaks) network.cuts.add(`${node.name}>${other.name}`);
    }
    this.cluster.note(`ways are cut: ${[...network.cuts].join(" ")}`);
  }
}
