import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { encode, type Message, messagesIn } from "./message.ts";

export interface Order {
  readonly head: object;
  readonly body?: Uint8Array;
  readonly timeoutMs: number;
  /** Answers questions that the script asks while it carries out the order. */
  readonly answer?: (asked: Message) => Promise<Buffer>;
}

/**
 * A script of this product in the fence, which carries out orders one after the other. It starts
 * with the first order, and again after an order that ended it; the state it keeps between orders
 * is not shared with the farm.
 */
export class FencedScript {
  private readonly words: readonly string[];
  private running: Running | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** `words`: the program and its arguments. */
  constructor(words: readonly string[]) {
    this.words = words;
  }

  /** Starts the script ahead of the first order. */
  start(): void {
    this.ensureRunning();
  }

  /** Returns the script's answer. Throws `PortError` when the script ended or had to be killed. */
  async carryOut(order: Order): Promise<Message> {
    const turn = this.last.then(() => this.exchange(order));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** Ends the script; the next order starts it again. */
  async close(): Promise<void> {
    const running = this.running;
    this.running = undefined;
    running?.kill();
    await running?.ended;
  }

  private async exchange({ head, body, timeoutMs, answer }: Order): Promise<Message> {
    const running = this.ensureRunning();
    const timer = setTimeout(running.kill, timeoutMs);
    try {
      running.send(encode({ order: head }, body));
      for (;;) {
        const { value: message } = await running.messages.next();
        if (message === undefined) throw new Error("it ended");
        if (answer === undefined || !isQuestion(message.head)) return message;
        running.send(encode({}, await answer(message)));
      }
    } catch (failure) {
      await this.close();
      throw new PortError("an isolated program ended early", true, failure);
    } finally {
      clearTimeout(timer);
    }
  }

  private ensureRunning(): Running {
    if (this.running !== undefined) return this.running;
    const running = run(this.words);
    this.running = running;
    void running.ended.then(() => {
      if (this.running === running) this.running = undefined;
    });
    return running;
  }
}

interface Running {
  readonly messages: AsyncGenerator<Message, undefined>;
  readonly send: (parts: readonly Buffer[]) => void;
  readonly kill: () => void;
  readonly ended: Promise<void>;
}

function run([path = "", ...args]: readonly string[]): Running {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(path, args, {
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  // These errors are ignored, because the pending answer reports that the script has ended.
  child.stdin.on("error", () => undefined);
  child.stdout.on("error", () => undefined);
  return {
    messages: messagesIn(child.stdout, limits.media.pictureBytesMax) as Running["messages"],
    send: (parts) => {
      for (const part of parts) child.stdin.write(part);
    },
    kill: () => void child.kill("SIGKILL"),
    ended,
  };
}

function isQuestion(head: unknown): boolean {
  return typeof head === "object" && head !== null && "question" in head;
}
