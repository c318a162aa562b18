import type { RequestId } from "../address.ts";

/** What the nodes of a cluster say of themselves. Adapters: NATS, memory. */
export interface Nodes {
  /** Lost where nothing can be sent. */
  announce(presence: Presence): void;
  /** What other nodes announce, until the returned function is called. */
  onAnnounced(listener: (presence: Presence) => void): () => void;
  /** Lost where nothing can be sent. */
  reply(node: string, reply: NodeReply): void;
  /** Replies to requests that wait on this node, until the returned function is called. */
  onReply(node: string, listener: (reply: NodeReply) => void): () => void;
}

/** What an actor of another node replies to a request. */
export interface NodeReply {
  readonly request: RequestId;
  readonly reply: unknown;
}

export interface Presence {
  readonly node: string;
  /** Host and port at which other nodes reach it. */
  readonly address: string;
  /** Of its release. */
  readonly version: string;
  readonly status: "live" | "draining" | "gone";
  readonly startedAtMs: number;
  /** By the node's clock. */
  readonly atMs: number;
  /** Sentences for the operator about what keeps it from its part. */
  readonly warnings: readonly string[];
  readonly shards: readonly ShardRole[];
  /** The last record of the directory that requests there see; 0 where they see none of it. */
  readonly directorySeq: number;
  /** The number of its first request; the others follow. */
  readonly firstRequest: number;
}

/** The directory is the shard after the last. */
export interface ShardRole {
  readonly shard: number;
  readonly role: "owner" | "standby";
}
