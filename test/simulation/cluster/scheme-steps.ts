/** Steps that schemes have in common; those that take time yield it in milliseconds. */
import { limits } from "../../../config/limits.ts";
import { readHead } from "../../../engine/record.ts";
import type { Healing } from "./healing.ts";
import type { SimCluster } from "./sim-cluster.ts";
import type { SimNode } from "./sim-node.ts";

const { silenceMs, announceMs, appendMs } = limits.cluster;
/** Within which a healed cluster is well. */
export const wellMs = 12_000;

export class SchemeSteps {
  protected readonly cluster: SimCluster;
  protected readonly healing: Healing;
  private nodes: number;

  constructor(cluster: SimCluster, healing: Healing) {
    this.cluster = cluster;
    this.healing = healing;
    this.nodes = cluster.nodes.length;
  }

  /** Returns false if some shard has no owner or some node is no standby after some time. */
  protected *becomeWell(): Generator<number, boolean> {
    const { cluster } = this;
    this.healing.heal();
    for (let passedMs = 0; passedMs < wellMs; passedMs += 250) {
      if (cluster.isWell) return true;
      yield 250;
    }
    return false;
  }

  protected pickOwned() {
    const { dice, shardCount, nodes, logs } = this.cluster;
    const shard = dice.between(0, shardCount);
    const owner = nodes.find((node) => node.owns(shard));
    const log = logs[shard];
    return owner && log && { shard, owner, log };
  }

  protected others(node: SimNode): readonly SimNode[] {
    return this.cluster.nodes.filter((other) => other !== node);
  }

  /** Whether a log was trimmed ahead of a node, so that it does not bring it what it lacks. */
  protected isCutOff({ disks }: SimNode): boolean {
    const { logs, history } = this.cluster;
    return logs.some(({ firstRecord }, shard) => {
      const firstSeq =
        firstRecord === undefined ? Number.POSITIVE_INFINITY : readHead(firstRecord).seq;
      const lastSeq = disks[shard]?.lastSeq ?? 0;
      return lastSeq < Math.min(firstSeq - 1, history.lastSeq(shard));
    });
  }

  protected cutLogs(nodes: readonly SimNode[], isCut: boolean): void {
    for (const node of nodes) {
      node.isLogCutIn = isCut;
      node.isLogCutOut = isCut;
    }
  }

  /** Adds a new node, which is not started. */
  protected addNode(): SimNode {
    return this.cluster.add(`n${++this.nodes}`);
  }

  /** Returns another node, or a new one that has only just joined, heard by the others or not. */
  protected *pickSuccessor(owner: SimNode): Generator<number, SimNode> {
    const { cluster } = this;
    const { dice, network } = cluster;
    if (cluster.nodes.length > 4 || dice.percent(70)) return dice.pick(this.others(owner));
    const added = this.addNode();
    if (dice.percent(50))
      for (const { name } of this.others(added)) network.cuts.add(`${added.name}>${name}`);
    this.healing.start(added);
    const isBehind = () =>
      owner.disks.some(({ lastSeq }, shard) => (added.disks[shard]?.lastSeq ?? 0) < lastSeq);
    for (let passedMs = 0; isBehind() && passedMs < wellMs; passedMs += 20) yield 20;
    yield dice.between(0, announceMs);
    return added;
  }

  protected *awaitOwner(node: SimNode, shard: number): Generator<number, void> {
    const mostMs = appendMs + silenceMs;
    for (let passedMs = 0; !node.owns(shard) && passedMs < mostMs; passedMs += 100) yield 100;
  }
}
