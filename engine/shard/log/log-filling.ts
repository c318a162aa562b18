/**
 * Puts a log together again that has lost records. Its servers may disagree about what is left, and
 * one that has more would skip what another takes; so the log begins anew. The caller knows that
 * nothing of it is history that the journals do not have.
 */
import { limits } from "../../../config/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Journal } from "../../ports/journal.ts";
import type { Log } from "../../ports/log.ts";

/**
 * Stores the journal's records in an emptied log, as far back as the journal goes. Resolves to the
 * log sequence of the last one, 0 when there is none; undefined when another node appends
 * meanwhile. Throws `PortError`.
 */
export async function refillLog(
  log: Log,
  journal: Journal,
  node: string,
): Promise<number | undefined> {
  if ((await log.end()).logSeq > 0) await log.restart();
  let after = 0;
  for (const { seq, record } of journal.from(1)) {
    // The log alone remembers these ids, and the bytes are the same from any node.
    const id = `refill:${node}:${seq}`;
    if (!(await log.publish(Uint8Array.from(record), id, after))) return undefined;
    after++;
  }
  return after;
}

/**
 * Keeps a silent owner from appending while it is decided whether this node refills the log: an
 * empty log refuses the owner's next record, so the owner releases nothing more.
 */
export class LogFence {
  private readonly log: Log;
  private readonly clock: Clock;
  /** When the log was first seen empty. */
  private emptyMs: number | undefined;

  constructor(log: Log, clock: Clock) {
    this.log = log;
    this.clock = clock;
  }

  /**
   * `holds` once everything known of living nodes was announced after the log was emptied, and
   * `waits` until then; `taken` when another node has begun to refill it. Throws `PortError`.
   */
  async check(): Promise<"holds" | "waits" | "taken"> {
    const isEmpty = (await this.log.end()).logSeq === 0;
    if (!isEmpty && this.emptyMs !== undefined) {
      this.emptyMs = undefined;
      return "taken";
    }
    if (!isEmpty) await this.log.restart();
    const nowMs = this.clock.monotonicMs();
    this.emptyMs ??= nowMs;
    return nowMs - this.emptyMs > limits.cluster.silenceMs ? "holds" : "waits";
  }
}
