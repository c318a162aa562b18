/** What the nodes of a cluster tell each other of one shard. Adapters: NATS, memory. */
export interface Peers {
  /** Lost where it cannot be heard. */
  announce(announcement: Announcement): void;
  /** What other nodes announce, until the returned function is called. */
  onAnnounced(listener: (announcement: Announcement) => void): () => void;
}

export interface Announcement {
  readonly node: string;
  /**
   * `draining`: it follows, and never takes over. `joining`: the log does not go on from its rows,
   * and another node's are to take their place.
   */
  readonly state: "following" | "draining" | "joining" | "owning";
  /** The last record that is durable there, or that the rows have which it is taking over. */
  readonly epoch: number;
  readonly seq: number;
  /** Who owned the shard at that record; undefined before the first. */
  readonly owner: string | undefined;
  /** Drawn for the epoch of that record. */
  readonly nonce: string | undefined;
}
