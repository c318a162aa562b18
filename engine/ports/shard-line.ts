/** Questions from other nodes to the node that owns a shard. Adapters: NATS, memory. */
export interface ShardLine {
  ask(shard: number, question: object, timeoutMs: number): Promise<LineAnswer>;
  /** Answers questions to the shard until the returned function is called. */
  answer(shard: number, answerer: (question: unknown) => Promise<object>): () => void;
}

export type LineAnswer =
  | { readonly kind: "answer"; readonly answer: unknown }
  /** No node takes questions to the shard: nothing was decided. */
  | { readonly kind: "unowned" }
  /** None answered in time, or the connection broke: the outcome is unknown. */
  | { readonly kind: "silent" };
