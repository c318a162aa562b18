/**
 * The replicated log as the owner of a shard writes it. What the log has stored is history,
 * whatever becomes of this owner; what it refuses never was. Each stored record renews the lease,
 * within which the owner may answer reads: no other owner opens before it has ended.
 */
import { limits } from "../../../config/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { PortError } from "../../ports/port-error.ts";
import { asBuffer, computeHash, verify } from "../../record.ts";

/** Another node appends to the log, or the log does not answer: this one owns the shard no more. */
export class OwnershipLost extends Error {
  override readonly name = "OwnershipLost";
}

export class OwnedLog {
  private readonly log: Log;
  private readonly clock: Clock;
  private readonly nonce: string;
  private readonly isDirectory: boolean;
  private readonly isSuperseded: () => boolean;
  private lastSentMs = 0;
  /** How many records of this ownership the log has stored. */
  private stored = 0;
  private isHandedOver = false;

  /**
   * `nonce` is drawn for this ownership: the ids of our attempts never equal another owner's.
   * `isSuperseded` tells whether another node has announced a later epoch.
   */
  constructor(
    log: Log,
    clock: Clock,
    nonce: string,
    isDirectory: boolean,
    isSuperseded: () => boolean,
  ) {
    this.log = log;
    this.clock = clock;
    this.nonce = nonce;
    this.isDirectory = isDirectory;
    this.isSuperseded = isSuperseded;
  }

  /**
   * When the right to answer reads ends, by the monotonic clock. After a handover the next owner
   * answers them; only of the directory, which every node reads, a follower's staleness is allowed.
   */
  get leaseEndsMs(): number {
    const { leaseMs, staleMs } = limits.cluster;
    if (!this.isHandedOver) return this.lastSentMs + leaseMs;
    return this.isDirectory ? this.lastSentMs + staleMs : Number.NEGATIVE_INFINITY;
  }

  /** Lets the next owner take over; the record that says so is still to be appended. */
  handOver(): void {
    this.isHandedOver = true;
  }

  /** Whether nothing was appended for so long that followers need a heartbeat. */
  get isHeartbeatDue(): boolean {
    return this.clock.monotonicMs() - this.lastSentMs >= limits.cluster.heartbeatMs;
  }

  /** Resolves when the record is in the log. Throws `OwnershipLost`. */
  async append(record: Uint8Array, order: { epoch: number; seq: number }, after: number) {
    const id = `${this.nonce}:${order.epoch}:${order.seq}`;
    const begunMs = this.clock.monotonicMs();
    const untilMs = begunMs + limits.cluster.appendMs;
    let hasListened = false;
    for (;;) {
      try {
        // A process that stood still learns only now of another owner.
        if (this.wasAway && !hasListened) await this.pause(limits.cluster.announceMs);
        hasListened ||= this.wasAway;
        // Of servers that disagree, others may lead now, with another record in the first's place.
        const isDoubtful = this.wasAway || this.stored === 1;
        if (isDoubtful) await this.checkPlace(record, after);
        if (!(await this.log.publish(record, id, after))) await this.refuseOthers(record, after);
        if (isDoubtful) await this.checkPlace(record, after);
        this.stored++;
        // The first attempt may be the one that was stored and the last one that others received.
        this.lastSentMs = begunMs;
        return;
      } catch (error) {
        if (!(error instanceof PortError && error.retryable)) throw error;
        if (this.clock.monotonicMs() >= untilMs)
          throw new OwnershipLost(`the log does not answer (${error.message})`);
        await this.pause(limits.cluster.appendAgainMs);
      }
    }
  }

  /** Whether no record was stored for so long that another node may have owned the shard. */
  private get wasAway(): boolean {
    const { lastSentMs, clock } = this;
    return lastSentMs > 0 && clock.monotonicMs() - lastSentMs > limits.cluster.silenceMs;
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.after(ms, resolve);
    });
  }

  /**
   * Trims entries up to `spareSeq` of the log's own sequence, which are not needed, and the older
   * half of a log that is too large; never the last entry, `endSeq`. Throws `PortError`.
   */
  async trim(spareSeq: number, endSeq: number): Promise<void> {
    const { firstSeq, bytes } = await this.log.size();
    const half = firstSeq + Math.floor((endSeq - firstSeq) / 2);
    const dropped = bytes > limits.cluster.logBytesMax ? Math.max(spareSeq, half) : spareSeq;
    const lastSeq = Math.min(dropped, endSeq - 1);
    if (lastSeq >= firstSeq) await this.log.trim(lastSeq);
  }

  /**
   * A log that was restarted meanwhile may have another record at the same number, and one that has
   * lost its end may lack what a later owner wrote.
   */
  private async checkPlace(record: Uint8Array, after: number): Promise<void> {
    if (this.isSuperseded()) throw new OwnershipLost("another node has owned the shard since");
    const last = await this.log.at(after);
    if (last === undefined || verify(record, computeHash(last.record)) === undefined)
      throw new OwnershipLost("the log was begun anew");
  }

  /** An attempt of ours that got no answer may have been stored. */
  private async refuseOthers(record: Uint8Array, after: number): Promise<void> {
    const entry = await this.log.at(after + 1);
    if (entry !== undefined && asBuffer(entry.record).equals(record)) return;
    throw new OwnershipLost(
      entry === undefined ? "the log has lost its end" : "another node has appended to the log",
    );
  }
}
