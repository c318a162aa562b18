import { limits } from "../../config/limits.ts";
import type { Envelope } from "./batch.ts";
import { Fifo } from "./fifo.ts";

/**
 * `settle`: results, due times and cancels, never refused. `work`: new work, refused when the inbox
 * is full.
 */
export type Lane = "settle" | "work";

/** The reply to refused work: the inbox was full, or nothing can be written. */
export const busy = { kind: "busy" } as const;

/** Messages that wait for a shard, in two queues; `settle` messages come first. */
export class Inbox {
  private readonly settling = new Fifo<Envelope>();
  private readonly working = new Fifo<Envelope>();
  private wake: (() => void) | undefined;
  private isBlocked = false;
  /** Whether `ring` was called while nothing was waiting for it. */
  private hasRung = false;

  /** Adds a message; returns false when the inbox is full of work. */
  offer(envelope: Envelope, lane: Lane): boolean {
    if (lane === "work" && this.working.size >= limits.engine.inboxMax) return false;
    (lane === "work" ? this.working : this.settling).push(envelope);
    if (!this.isBlocked) this.awake();
    return true;
  }

  take(): Envelope | undefined {
    return this.settling.shift() ?? this.working.shift();
  }

  get isEmpty(): boolean {
    return this.settling.size + this.working.size === 0;
  }

  /** Resolves when a message waits or `ring` is called; only for `ring` when `isBlocked`. */
  awaitWaiting(isBlocked: boolean): Promise<void> {
    if (this.hasRung || (!isBlocked && !this.isEmpty)) {
      this.hasRung = false;
      return Promise.resolve();
    }
    this.isBlocked = isBlocked;
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Signals a change outside the inbox; remembered when nothing is waiting. */
  ring(): void {
    if (this.wake === undefined) this.hasRung = true;
    else this.awake();
  }

  private awake(): void {
    this.wake?.();
    this.wake = undefined;
  }
}
