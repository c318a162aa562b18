/**
 * Warnings for the operator about what keeps this node from working in the cluster: shards that
 * wait for an owner, nodes that refuse its requests, and clocks that disagree.
 */
import { limits } from "../../config/limits.ts";
import type { KnownNode } from "../../engine/cluster/cluster-nodes.ts";
import { describeWait, type ShardWait } from "../../engine/shard/waiting.ts";

export class Warnings {
  private readonly waits = new Map<string, ShardWait>();
  private readonly refusing = new Set<string>();

  /**
   * `shard` is a number or `directory`; `wait` is undefined once the shard no longer waits. Returns
   * the sentence for the operator.
   */
  noteWait(shard: string, wait: ShardWait | undefined): string | undefined {
    if (wait === undefined) this.waits.delete(shard);
    else this.waits.set(shard, wait);
    return wait && describeWait(shard, wait);
  }

  /** Notes whether the node at `address` refuses requests of this one. */
  noteRefusal(address: string, isRefused: boolean): void {
    if (isRefused) this.refusing.add(address);
    else this.refusing.delete(address);
  }

  /** The shards that wait for an owner, each with the reason. */
  get waiting(): readonly { readonly shard: string; readonly reason: string }[] {
    return [...this.waits].map(([shard, { reason }]) => ({ shard, reason }));
  }

  list(): string[] {
    const waits = [...this.waits].map(([shard, wait]) => describeWait(shard, wait));
    const refusals = [...this.refusing].map(
      (address) =>
        `The node at ${address} refuses the requests that this node forwards. Both nodes need the same KLIEG_CLUSTER_KEY_FILE and synchronized clocks, and the same store if they run on one machine.`,
    );
    return [...waits, ...refusals];
  }
}

/** Describes a node's clock against this node's; undefined while both agree. */
export function describeClock({ clockAheadMs }: KnownNode): string | undefined {
  if (Math.abs(clockAheadMs) < limits.cluster.clockWarnedMs) return undefined;
  const seconds = Math.round(Math.abs(clockAheadMs) / 1_000);
  const side = clockAheadMs > 0 ? "ahead of" : "behind";
  return `The node's clock is ${seconds} s ${side} that of the node that answered. Nodes whose clocks differ by ${limits.cluster.hopMs / 1_000} s or more refuse each other's requests; synchronize both with NTP.`;
}

declare module "../service.ts" {
  interface Service {
    readonly warnings: Warnings;
  }
}
