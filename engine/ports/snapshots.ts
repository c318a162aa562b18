/** Exchange of one shard's snapshots between the nodes of a cluster. Adapters: NATS, memory. */
export interface Snapshots {
  /**
   * Requests the owner's snapshot; undefined while the owner makes one, or no owner answers. Throws
   * `PortError` when the answer is of another version or format.
   */
  request(): Promise<Snapshot | undefined>;
  /** Answers each request with what `offer` returns, until the returned function is called. */
  answer(offer: () => Snapshot | undefined): () => void;
}

/** The tables of a shard, as an object of the store that all nodes share. */
export interface Snapshot {
  /** Id of the store to which the shard belongs. */
  readonly store: string;
  /** Position of the last record that is in its rows. */
  readonly epoch: number;
  readonly seq: number;
  /** The random value that the owner of that epoch drew. */
  readonly nonce: string;
  readonly objectKey: string;
  readonly sizeBytes: number;
  /** SHA-256 of the object, in lower-case hex. */
  readonly sha256: string;
}
