/** What a node waits for when the owner of a shard is silent or there is none, for the operator. */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { HeardOwner } from "./latest-owner.ts";

export type WaitReason =
  /** The log cannot be reached. */
  | "log"
  /** No node has records, and the store began elsewhere. */
  | "founder"
  /** Another node owns the shard, and what it appends does not arrive. */
  | "behind"
  /** Other nodes have more records, or other ones. */
  | "ahead"
  /** Nodes that may have more records are not heard. */
  | "nodes"
  /** The log has another history than this node, and its owner is not heard. */
  | "history"
  /** Another node with the same records comes first. */
  | "turn"
  /** Another node fills the log, or it was emptied too short a time ago to be filled. */
  | "filling"
  /** The node is to own nothing. */
  | "draining"
  /** The owner's rows are to take the place of this node's, and none are offered. */
  | "snapshot"
  /** This node's records are another history than that with which the cluster went on. */
  | "rival";

export interface ShardWait {
  readonly reason: WaitReason;
  /** The last record that this node has; 0 and 0 for none. */
  readonly epoch: number;
  readonly seq: number;
  /** Id of the node that owned the shard at that record. */
  readonly owner: string | undefined;
  /** Other nodes that have more records, or different ones. */
  readonly ahead: readonly HeardOwner[];
  /** Nodes that may have more records and are silent. */
  readonly missing: readonly string[];
}

/** Reports why a node waits once it has waited for some time, and when the wait is over. */
export class WaitReport {
  private readonly clock: Clock;
  private readonly say: (wait: ShardWait | undefined) => void;
  private sinceMs: number | undefined;
  private said = "";

  constructor(clock: Clock, say: (wait: ShardWait | undefined) => void) {
    this.clock = clock;
    this.say = say;
  }

  /** Takes the current wait; undefined when nothing is waited for. */
  take(wait: ShardWait | undefined): void {
    const nowMs = this.clock.monotonicMs();
    if (wait === undefined) {
      this.sinceMs = undefined;
      if (this.said !== "") this.say(undefined);
      this.said = "";
      return;
    }
    this.sinceMs ??= nowMs;
    if (nowMs - this.sinceMs < limits.cluster.waitSaidMs) return;
    // The positions are left out, because they change with every record that arrives.
    const nodes = wait.ahead.map(({ node }) => node);
    const text = JSON.stringify([wait.reason, wait.owner, nodes, wait.missing]);
    if (text === this.said) return;
    this.said = text;
    this.say(wait);
  }
}

/** Describes a wait in a few sentences for the operator; `shard` is a number or `directory`. */
export function describeWait(shard: string, wait: ShardWait): string {
  const name = shard === "directory" ? "The directory" : `Shard ${shard}`;
  const isOwned = wait.reason === "behind" || wait.reason === "rival";
  const state = isOwned ? "is not followed here" : "has no owner";
  return `${name} ${state}: ${describeReason(shard, wait)}`;
}

function describeReason(shard: string, wait: ShardWait): string {
  const { epoch, seq, owner, ahead, missing } = wait;
  const own = seq === 0 ? "no records" : `records up to ${seq} (epoch ${epoch})`;
  const rebuild = `klieg shard rebuild ${shard}`;
  const more = ahead.map((it) => `node ${it.node} up to ${it.seq} (epoch ${it.epoch})`).join(", ");
  const gone = missing.map((node) => (node === owner ? `${node}, the last owner` : node));
  switch (wait.reason) {
    case "log":
      return "the NATS servers that keep its log do not answer, or have no leader. Start a majority of them, which then elects one.";
    case "founder":
      return "no reachable node has any of its records. Start the node on which the store was created.";
    case "behind":
      return `this node has ${own}, its owner has more (${more}), and the log does not deliver the rest. The node asks the log again every second.`;
    case "ahead":
      return `this node has ${own}, ${more}; it waits for that node to take the shard over. If that node is gone for good, stop this one and run \`${rebuild}\`.`;
    case "nodes":
      return `this node has ${own}; nodes that do not answer may have records after ${seq}: ${gone.join("; ")}. Start them. If they are gone for good, stop this node and run \`${rebuild}\`.`;
    case "history":
      return `this node has ${own}, and the log has a different history, whose owner does not answer. Start the other nodes. If they are gone for good, stop this node and run \`${rebuild}\`.`;
    case "turn":
      return `this node has ${own}, and another node with the same records takes precedence. If that one does not take over, this one does in a few seconds.`;
    case "filling":
      return `this node has ${own}, and the log, which had lost some of them, is being refilled.`;
    case "draining":
      return "this node is draining and does not take over shards. Start another node, or end the drain.";
    case "snapshot":
      return "this node needs a copy of the shard's rows from its owner, which does not answer. Start the other nodes.";
    case "rival":
      return `this node keeps ${own}, which the log had lost by the time another node took the shard over. To let this node join again, stop it and remove its data directory; what only these records contain is then lost.`;
  }
}
