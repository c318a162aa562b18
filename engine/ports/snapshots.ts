/** What the nodes of a cluster tell each other of one shard's snapshots. Adapters: NATS, memory. */
export interface Snapshots {
  /**
   * What the shard's owner offers; undefined while it makes a snapshot, or none answers. Throws
   * `PortError` when the answer is of another version or format.
   */
  request(): Promise<Snapshot | undefined>;
  /** Answers each request with what `offer` returns, until the returned function is called. */
  answer(offer: () => Snapshot | undefined): () => void;
}

/** The tables of a shard, as an object of the store that all nodes share. */
export interface Snapshot {
  /** The id of the store that it is of. */
  readonly store: string;
  /** Of the last record that is in its rows. */
  readonly epoch: number;
  readonly seq: number;
  /** Drawn by the owner of that epoch. */
  readonly nonce: string;
  readonly objectKey: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}
