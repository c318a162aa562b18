import { limits } from "../../config/limits.ts";
import type { Envelope } from "./batch.ts";
import { Fifo } from "./fifo.ts";

/**
 * `settle`: results, due times and cancels, never refused. `work`: new work, refused when the inbox
 * is full.
 */
export type Lane = "settle" | "work";

/** The reply to work that was dropped: the inbox was full, or nothing can be written. */
export const busy = { kind: "busy" } as const;

/** What waits for a shard: two queues, the settling one first. */
export class Inbox {
  private readonly settling = new Fifo<Envelope>();
  private readonly working = new Fifo<Envelope>();
  private wake: (() => void) | undefined;
  private isBlocked = false;
  /** Set by a ring while nothing waited. */
  private hasRung = false;

  /** False when the inbox is full of work. */
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

  /** Resolves when something waits, or at a `ring`; only at a ring when `isBlocked`. */
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

  /** Something other than the inbox has changed; remembered when nothing waits. */
  ring(): void {
    if (this.wake === undefined) this.hasRung = true;
    else this.awake();
  }

  private awake(): void {
    this.wake?.();
    this.wake = undefined;
  }
}
