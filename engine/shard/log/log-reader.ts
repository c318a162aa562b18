/**
 * Reads a log's entries for a follower: those that the log delivers, and after a time without any
 * those that it holds and did not deliver.
 */
import { limits } from "../../../config/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log, LogEnd, LogEntry } from "../../ports/log.ts";
import { computeHash } from "../../record.ts";
import type { Position } from "../flush.ts";
import { onUnreached } from "./log-place.ts";

export class LogReader {
  private readonly log: Log;
  private readonly clock: Clock;
  private readonly entries: LogEntry[] = [];
  private fetchedMs = 0;
  private isUnreached = false;
  private unfollow = () => {};
  private ring = () => {};

  constructor(log: Log, clock: Clock) {
    this.log = log;
    this.clock = clock;
  }

  /** Reads from `logSeq` on, until `stop`. */
  start(logSeq: number): void {
    this.entries.length = 0;
    this.fetchedMs = this.clock.monotonicMs();
    this.unfollow = this.log.follow(logSeq, (entry) => {
      this.entries.push(entry);
      this.isUnreached = false;
      this.ring();
    });
  }

  stop(): void {
    this.unfollow();
  }

  get hasEntry(): boolean {
    return this.entries.length > 0;
  }

  /** Resolves when there is an entry, when `wake` is called, or after `ms` at the latest. */
  next(ms: number): Promise<void> {
    if (this.hasEntry) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.clock.after(ms, resolve);
      this.ring = () => {
        cancel();
        resolve();
      };
    });
  }

  wake(): void {
    this.ring();
  }

  /** Returns the oldest entry that was read and not taken yet. */
  take(): LogEntry | undefined {
    return this.entries.shift();
  }

  /** Whether the log was unreachable at the last attempt. */
  get isAway(): boolean {
    return this.isUnreached;
  }

  /** Resolves to undefined while the log cannot be reached. */
  end(): Promise<LogEnd | undefined> {
    return this.reach(() => this.log.end());
  }

  /** The end on which most servers agree; undefined while the log or most of them are away. */
  agreedEnd(): Promise<LogEnd | undefined> {
    return this.reach(() => this.log.agreedEnd());
  }

  private async reach(read: () => Promise<LogEnd>): Promise<LogEnd | undefined> {
    try {
      const end = await read();
      this.isUnreached = false;
      return end;
    } catch (error) {
      this.isUnreached = true;
      return onUnreached(error);
    }
  }

  /**
   * Reads what the log holds after `position`, if nothing has arrived since `heardMs` for some
   * time. Returns false when the log no longer continues from there.
   */
  async fetchMissed(position: Position, heardMs: number): Promise<boolean> {
    const nowMs = this.clock.monotonicMs();
    const quietMs = nowMs - Math.max(heardMs, this.fetchedMs);
    if (this.hasEntry || quietMs < limits.cluster.fetchMs) return true;
    this.fetchedMs = nowMs;
    const end = await this.end();
    if (end === undefined) return true;
    if (!leadsTo(end, position)) return false;
    const last = Math.min(end.logSeq, position.logSeq + limits.cluster.fetchRecords);
    try {
      for (let next = position.logSeq + 1; next <= last; next++) {
        const entry = await this.log.at(next);
        if (entry === undefined) return false;
        this.entries.push(entry);
      }
    } catch (error) {
      onUnreached(error);
    }
    return true;
  }
}

/** Whether the log ends at or after the record at `position`. */
export function leadsTo({ logSeq, record }: LogEnd, position: Position): boolean {
  if (logSeq !== position.logSeq) return logSeq > position.logSeq;
  return record === undefined || computeHash(record) === position.hash;
}
