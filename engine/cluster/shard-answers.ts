/** Answers other nodes' questions to the shards that this node owns. */
import { limits } from "../../config/limits.ts";
import type { Key } from "../key.ts";
import type { ProcessClock } from "../process-clock.ts";
import type { Elsewhere, ShardAnswer, ShardQuestion } from "./elsewhere.ts";

export interface ShardAnswersParts {
  readonly clock: ProcessClock;
  readonly owns: (shard: number) => boolean;
  readonly getShard: (key: Key) => number;
  /** Whether the shard may be read here, which it may not once its owner's lease has lapsed. */
  readonly reads: (shard: number) => boolean;
  readonly readText: (key: Key) => string | undefined;
  readonly ask: (shard: number, question: ShardQuestion & { kind: "ask" }) => Promise<ShardAnswer>;
}

export class ShardAnswers {
  private readonly parts: ShardAnswersParts;
  private readonly withdrawals = new Map<number, () => void>();

  constructor(parts: ShardAnswersParts) {
    this.parts = parts;
  }

  /** Answers other nodes' questions to the shard from now on. */
  offer(shard: number, elsewhere: Elsewhere): void {
    const withdraw = elsewhere.answer(shard, (question) => this.answer(shard, question));
    this.withdrawals.set(shard, withdraw);
  }

  withdraw(shard: number): void {
    this.withdrawals.get(shard)?.();
    this.withdrawals.delete(shard);
  }

  private async answer(shard: number, question: ShardQuestion): Promise<ShardAnswer> {
    const { owns, getShard, reads, readText, ask } = this.parts;
    const keys = question.kind === "rows" ? question.keys : [question.to];
    // A node that was not heard while the store got more shards counts by those of before.
    if (keys.some((key) => getShard(key) !== shard)) return { kind: "moved" };
    if (question.kind === "rows") {
      if (!owns(shard) || !reads(shard)) return { kind: "moved" };
      return { kind: "rows", rows: question.keys.map(readText) };
    }
    if (!owns(shard)) {
      // The next owner may have received the question too, and its answer is the one that counts.
      await this.pause();
      return { kind: "moved" };
    }
    // When the lease has lapsed, another node may own the shard and have received the question too;
    // only a renewed lease proves that none does.
    while (!reads(shard)) {
      await this.pause();
      if (!owns(shard)) return { kind: "lost" };
    }
    return ask(shard, question);
  }

  private pause(): Promise<void> {
    const { clock } = this.parts;
    return new Promise((resolve) => clock.after(limits.cluster.movedAgainMs, resolve));
  }
}
