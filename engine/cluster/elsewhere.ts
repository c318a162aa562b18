/**
 * Requests from this node to others: questions to shards that they own, and replies to requests
 * that wait there. A question is repeated only while it is known that nothing was decided.
 */
import { limits } from "../../config/limits.ts";
import type { RequestId } from "../address.ts";
import type { Key } from "../key.ts";
import type { Clock } from "../ports/clock.ts";
import type { Nodes } from "../ports/nodes.ts";
import type { LineAnswer, ShardLine } from "../ports/shard-line.ts";
import type { Lane } from "../shard/inbox.ts";
import type { ClusterNodes } from "./cluster-nodes.ts";

/** A question to an actor, or for the rows under some keys. */
export type ShardQuestion =
  | { readonly kind: "ask"; readonly to: Key; readonly message: object; readonly lane: Lane }
  | { readonly kind: "rows"; readonly keys: readonly Key[] };

/**
 * `seq` of a directory's reply is that of a record from which the node that asked can read what the
 * reply tells. `rows` are as JSON, undefined where there is none. `moved`: nothing was decided.
 * `lost`: the shard went away with the question, and the outcome is unknown.
 */
export type ShardAnswer =
  | { readonly kind: "reply"; readonly reply: unknown; readonly seq?: number }
  | { readonly kind: "rows"; readonly rows: readonly (string | undefined)[] }
  | { readonly kind: "moved" }
  | { readonly kind: "lost" };

export interface ElsewhereParts {
  readonly line: ShardLine;
  readonly nodes: Nodes;
  readonly known: ClusterNodes;
  readonly clock: Clock;
}

export class Elsewhere {
  private readonly parts: ElsewhereParts;
  /** Callbacks that end the questions that have no answer yet. */
  private readonly endings = new Set<() => void>();
  private isGivenUp = false;

  constructor(parts: ElsewhereParts) {
    this.parts = parts;
  }

  /** Resolves to undefined when the outcome is unknown, or no node owns the shard. */
  async ask(shard: number, question: ShardQuestion): Promise<ShardAnswer | undefined> {
    const { clock } = this.parts;
    const { movedMs, movedAgainMs } = limits.cluster;
    const untilMs = clock.monotonicMs() + movedMs;
    for (;;) {
      const said = await this.askOnce(shard, question);
      if (said.kind === "silent" || this.isGivenUp) return undefined;
      const answer = said.kind === "answer" ? (said.answer as ShardAnswer) : undefined;
      if (answer !== undefined && answer.kind !== "moved") return answer;
      if (clock.monotonicMs() >= untilMs) return undefined;
      await new Promise<void>((resolve) => clock.after(movedAgainMs, resolve));
    }
  }

  private askOnce(shard: number, question: ShardQuestion): Promise<LineAnswer> {
    return new Promise((resolve) => {
      const end = () => resolve({ kind: "silent" });
      this.endings.add(end);
      void this.parts.line.ask(shard, question, limits.cluster.answerMs).then((said) => {
        this.endings.delete(end);
        resolve(said);
      });
    });
  }

  /** Ends all open questions without an answer, because this node stops. */
  giveUp(): void {
    this.isGivenUp = true;
    for (const end of this.endings) end();
  }

  /** Answers the questions of other nodes until the returned function is called. */
  answer(shard: number, answerer: (question: ShardQuestion) => Promise<ShardAnswer>): () => void {
    return this.parts.line.answer(shard, async (question) => {
      if (!isQuestion(question)) throw new TypeError("a question of another version");
      return answerer(question);
    });
  }

  /** Sends the reply to the node on which the request waits. */
  reply(request: RequestId, reply: unknown): void {
    const node = this.parts.known.nodeOfRequest(request);
    if (node !== undefined) this.parts.nodes.reply(node, { request, reply });
  }

  /** Announces a change in what requests see here: a shard's owner, or rows of the directory. */
  onChange(): void {
    this.parts.known.onChange();
  }

  /** Resolves when all living nodes have applied the directory's record `seq`, or in a second. */
  whenApplied(seq: number): Promise<void> {
    return this.parts.known.whenApplied(seq);
  }
}

function isQuestion(question: unknown): question is ShardQuestion {
  if (typeof question !== "object" || question === null || !("kind" in question)) return false;
  if (question.kind === "ask")
    return "to" in question && typeof question.to === "string" && "message" in question;
  return question.kind === "rows" && "keys" in question && Array.isArray(question.keys);
}
