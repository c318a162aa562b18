import type { ShardLine } from "../../ports/shard-line.ts";

/** In-memory lines to the owners of shards, shared by the nodes of one process. */
export class MemoryShardLines {
  private readonly answerers = new Map<number, (question: unknown) => Promise<object>>();

  open(isCutOff: () => boolean = () => false): ShardLine {
    return {
      ask: async (shard, question) => {
        const answerer = this.answerers.get(shard);
        if (isCutOff() || answerer === undefined) return { kind: "unowned" };
        try {
          const answer = await answerer(structuredClone(question));
          return { kind: "answer", answer: structuredClone(answer) };
        } catch {
          return { kind: "silent" };
        }
      },
      answer: (shard, answerer) => {
        this.answerers.set(shard, answerer);
        return () => {
          if (this.answerers.get(shard) === answerer) this.answerers.delete(shard);
        };
      },
    };
  }
}
