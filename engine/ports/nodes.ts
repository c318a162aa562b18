import type { RequestId } from "../address.ts";

/** Announcements and replies between the nodes of a cluster. Adapters: NATS, memory. */
export interface Nodes {
  /** Announces this node; the announcement is lost when nothing can be sent. */
  announce(presence: Presence): void;
  /** Delivers other nodes' announcements until the returned function is called. */
  onAnnounced(listener: (presence: Presence) => void): () => void;
  /** Sends a reply to the other node; it is lost when nothing can be sent. */
  reply(node: string, reply: NodeReply): void;
  /** Delivers replies to requests that wait on this node, until the returned function is called. */
  onReply(node: string, listener: (reply: NodeReply) => void): () => void;
}

/** The reply of an actor on another node to a request. */
export interface NodeReply {
  readonly request: RequestId;
  readonly reply: unknown;
}

export interface Presence {
  readonly node: string;
  /** Name of the node for operators; nodes before version 1.1 of the messages send none. */
  readonly name?: string;
  /** Host and port at which other nodes reach the node. */
  readonly address: string;
  /** Version of the release that the node runs. */
  readonly version: string;
  readonly status: "live" | "draining" | "gone";
  readonly startedAtMs: number;
  /** Time of the announcement, by the node's own clock. */
  readonly atMs: number;
  /** Sentences for the operator about what keeps the node from doing its part. */
  readonly warnings: readonly string[];
  readonly shards: readonly ShardRole[];
  /** Sequence number of the directory's last record that requests there see; 0 for none of it. */
  readonly directorySeq: number;
  /** Number of the node's first request; later ones count up from it. */
  readonly firstRequest: number;
}

/** The node's role for one shard; the directory is the shard after the last. */
export interface ShardRole {
  readonly shard: number;
  readonly role: "owner" | "standby";
}
