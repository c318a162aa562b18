/**
 * Questions over a channel that only carries messages: each has a number, and its answer comes back
 * with the same. One end asks, the other calls `answerQuestion`.
 */
import { PortError } from "./ports/port-error.ts";

export interface Asked<Question> {
  readonly kind: "question";
  readonly number: number;
  readonly question: Question;
}

export interface Answered {
  readonly kind: "answer";
  readonly number: number;
  /** The answer; undefined when the question failed. */
  readonly answer: unknown;
}

export class Questions<Question> {
  private readonly send: (message: Asked<Question>) => void;
  private readonly open = new Map<number, (answer: unknown) => void>();
  private last = 0;

  constructor(send: (message: Asked<Question>) => void) {
    this.send = send;
  }

  /** Rejects with a retryable `PortError` when the other end fails or goes away. */
  ask<Answer>(question: Question): Promise<Answer> {
    const number = ++this.last;
    return new Promise((resolve, reject) => {
      this.open.set(number, (answer) => {
        this.open.delete(number);
        if (answer === undefined) reject(new PortError("a thread gave no answer", true));
        else resolve(answer as Answer);
      });
      this.send({ kind: "question", number, question });
    });
  }

  take({ number, answer }: Answered): void {
    this.open.get(number)?.(answer);
  }

  /** Fails all open questions, because the other end is gone. */
  lose(): void {
    for (const settle of [...this.open.values()]) settle(undefined);
  }
}

/** Sends what `answer` resolves to; a failure goes to `onFault` and to the other end. */
export async function answerQuestion<Question>(
  { number, question }: Asked<Question>,
  answer: (question: Question) => unknown,
  onFault: (error: unknown) => void,
): Promise<Answered> {
  try {
    return { kind: "answer", number, answer: await answer(question) };
  } catch (error) {
    onFault(error);
    return { kind: "answer", number, answer: undefined };
  }
}
