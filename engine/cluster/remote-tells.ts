/** Carries tells between shards of different nodes: to the owner's outbox, and into this one's. */
import { limits } from "../../config/limits.ts";
import type { Arrival, Outbox } from "../outbox.ts";
import type { ShardLine } from "../ports/shard-line.ts";

interface Question {
  readonly arrivals: readonly Arrival[];
}

interface Answer {
  readonly isDurable: boolean;
}

export class RemoteTells {
  private readonly line: ShardLine;
  private readonly withdrawals = new Map<number, () => void>();

  constructor(line: ShardLine) {
    this.line = line;
  }

  /** Resolves to true when the tells are durable at the shard's owner. */
  readonly send = async (shard: number, arrivals: readonly Arrival[]): Promise<boolean> => {
    const said = await this.line.ask(
      shard,
      { arrivals } satisfies Question,
      limits.cluster.answerMs,
    );
    return said.kind === "answer" && (said.answer as Answer).isDurable === true;
  };

  /** Accepts tells to a shard that has opened on this node, until `withdraw`. */
  receive(shard: number, outbox: Outbox): void {
    this.withdraw(shard);
    const answerer = async (question: unknown): Promise<Answer> => {
      const { arrivals } = question as Question;
      return { isDurable: await outbox.receive(shard, arrivals) };
    };
    this.withdrawals.set(shard, this.line.answer(shard, answerer));
  }

  withdraw(shard: number): void {
    this.withdrawals.get(shard)?.();
    this.withdrawals.delete(shard);
  }
}
