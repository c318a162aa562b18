/** Repairs a simulated cluster, and gives its nodes their commands. */
import type { SimCluster } from "./sim-cluster.ts";
import type { SimNode } from "./sim-node.ts";

export class Healing {
  private readonly cluster: SimCluster;

  constructor(cluster: SimCluster) {
    this.cluster = cluster;
  }

  /** Starts all nodes, opens all ways and lets the logs answer. */
  heal(): void {
    const { nodes, network, logs } = this.cluster;
    this.cluster.providerAnswer = undefined;
    network.cuts.clear();
    network.lost = 0;
    network.late = 0;
    network.doubled = 0;
    for (const log of logs) {
      log.isAway = false;
      log.unanswered = 0;
      log.late = 0;
      log.showLess(0);
      log.endFork();
    }
    for (const node of nodes) {
      node.isMute = false;
      node.isLogCutIn = false;
      node.isLogCutOut = false;
      for (const disk of node.disks) disk.isFailing = false;
      if (node.isDraining) this.undrain(node);
      node.resume();
      this.start(node);
    }
  }

  start(node: SimNode): void {
    if (node.isRunning || this.cluster.resharding !== undefined) return;
    this.cluster.note(`${node.name} starts`);
    node.start();
  }

  kill(node: SimNode): void {
    this.cluster.note(`${node.name} is killed`);
    node.kill();
  }

  /** Ends a drain: only a restarted process of the node owns again. */
  undrain(node: SimNode): void {
    this.cluster.note(`${node.name} drains no more`);
    node.isDraining = false;
    if (node.isRunning) node.kill();
    node.start();
  }
}
