/** Announcements between the nodes of a cluster about one shard. Adapters: NATS, memory. */
export interface Peers {
  /** Sends an announcement; it is lost when nothing can be sent. */
  announce(announcement: Announcement): void;
  /** Delivers other nodes' announcements until the returned function is called. */
  onAnnounced(listener: (announcement: Announcement) => void): () => void;
}

export interface Announcement {
  readonly node: string;
  /**
   * `draining`: the node follows, and never takes over. `joining`: the log does not continue from
   * its rows, which are to be replaced by another node's.
   */
  readonly state: "following" | "draining" | "joining" | "owning";
  /** Last record that is durable on the node, or that is in the rows which it is taking over. */
  readonly epoch: number;
  readonly seq: number;
  /** Who owned the shard at that record; undefined before the first. */
  readonly owner: string | undefined;
  /** The random value drawn for the epoch of that record. */
  readonly nonce: string | undefined;
}
