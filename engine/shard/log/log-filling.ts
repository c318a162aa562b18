/**
 * Puts a log together again that has lost records. Its servers may disagree about what is left, and
 * one that has more would skip what another takes; so the log begins anew. The caller knows that
 * nothing of it is history that the journals do not have. Several nodes may do so at once:
 *
 * 1. A log whose end moves is being filled by another node, and is left alone. It is emptied only
 *    when its end has stood still for `turnMs`.
 * 2. Only an empty log is filled, and the first record that it takes decides which node fills it.
 * 3. An empty log refuses a silent owner's next record, so that the owner releases nothing more.
 *    Behind this fence a node waits for `silenceMs` before it fills the log: all that it knows of
 *    living nodes was then announced after the log was emptied.
 * 4. A server that the others have left may answer with an end that the log is long past, and what
 *    was written since may be on the disk of a node that is gone. So a log is emptied only if most
 *    servers agree on its end.
 */
import { limits } from "../../../config/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Journal } from "../../ports/journal.ts";
import type { Log } from "../../ports/log.ts";

export class LogFilling {
  private readonly log: Log;
  private readonly clock: Clock;
  /** The log's end as it was last seen, when that was, and since when it has been so. */
  private end = { logSeq: -1, seenMs: 0, sinceMs: 0 };

  constructor(log: Log, clock: Clock) {
    this.log = log;
    this.clock = clock;
  }

  /** Looks at the log's end; to be repeated within `announceMs`. Throws `PortError`. */
  async watch(): Promise<void> {
    this.see((await this.log.end()).logSeq);
  }

  /**
   * Stores the journal's records in the log, as far back as the journal goes. Resolves to the log
   * sequence of the last one, 0 when there is none; undefined when it is too early, or another node
   * fills the log. Throws `PortError`.
   */
  async fill(journal: Journal, node: string, isFenced: boolean): Promise<number | undefined> {
    const { log } = this;
    const { turnMs, silenceMs } = limits.cluster;
    if (this.end.logSeq > 0) {
      this.see((await log.agreedEnd()).logSeq);
      if (this.stillMs < turnMs) return undefined;
      await log.restart();
      this.see(0);
    }
    if (isFenced && this.stillMs <= silenceMs) return undefined;
    let after = 0;
    for (const { seq, record } of journal.from(1)) {
      // The log alone remembers these ids, and the bytes are the same from any node.
      const id = `refill:${node}:${seq}`;
      if (!(await log.publish(Uint8Array.from(record), id, after))) return undefined;
      after++;
    }
    return after;
  }

  private get stillMs(): number {
    return this.clock.monotonicMs() - this.end.sinceMs;
  }

  private see(logSeq: number): void {
    const nowMs = this.clock.monotonicMs();
    // Between looks that lie further apart another node may have filled the log and lost it.
    const isWatched = nowMs - this.end.seenMs <= limits.cluster.announceMs;
    const isStill = isWatched && logSeq === this.end.logSeq;
    this.end = { logSeq, seenMs: nowMs, sinceMs: isStill ? this.end.sinceMs : nowMs };
  }
}
