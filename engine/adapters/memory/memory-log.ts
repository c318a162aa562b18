import type { Log, LogEntry } from "../../ports/log.ts";
import { PortError } from "../../ports/port-error.ts";

/** A log in memory, shared by all nodes that append to it or follow it. */
export class MemoryLog {
  /** While false, no node can append to the log or read from it. */
  isReachable = true;
  private entries: LogEntry[] = [];
  private endSeq = 0;
  private readonly sequenceById = new Map<string, number>();
  private readonly followers = new Set<() => void>();

  /** Opens one node's connection to the log. */
  open(isCutOff: () => boolean = () => false): Log {
    const readReached = <T>(look: () => T): Promise<T> =>
      this.isReachable && !isCutOff()
        ? Promise.resolve(look())
        : Promise.reject(new PortError("the log cannot be reached", true));
    const end = () =>
      readReached(() => ({ logSeq: this.endSeq, record: this.recordAt(this.endSeq) }));
    return {
      publish: (record, id, after) => readReached(() => this.publish(record, id, after)),
      end,
      agreedEnd: end,
      at: (logSeq) =>
        readReached(() => {
          const record = this.recordAt(logSeq);
          return record && { logSeq, record };
        }),
      follow: (logSeq, onEntry) => this.follow(logSeq, onEntry, isCutOff),
      size: () =>
        readReached(() => ({
          firstSeq: this.entries[0]?.logSeq ?? this.endSeq + 1,
          bytes: this.entries.reduce((bytes, { record }) => bytes + record.length, 0),
        })),
      trim: (logSeq) =>
        readReached(() => {
          this.entries = this.entries.filter((entry) => entry.logSeq > logSeq);
        }),
      restart: () => readReached(() => this.lose()),
    };
  }

  /** Simulates the loss of the servers' disks; with `logSeq`, of the entries after it. */
  lose(logSeq = 0): void {
    this.entries = this.entries.filter((entry) => entry.logSeq <= logSeq);
    this.endSeq = Math.min(this.endSeq, logSeq);
    this.sequenceById.clear();
  }

  /** Makes the log reachable, and delivers to followers what was stored meanwhile. */
  reach(): void {
    this.isReachable = true;
    for (const tell of this.followers) tell();
  }

  private recordAt(logSeq: number): Uint8Array | undefined {
    return this.entries.find((entry) => entry.logSeq === logSeq)?.record;
  }

  private publish(record: Uint8Array, id: string, after: number): boolean {
    const known = this.sequenceById.get(id);
    if (known !== undefined) return known === after + 1;
    if (this.endSeq !== after) return false;
    this.endSeq = after + 1;
    this.entries.push({ logSeq: this.endSeq, record: Uint8Array.from(record) });
    this.sequenceById.set(id, after + 1);
    for (const tell of this.followers) tell();
    return true;
  }

  private follow(
    from: number,
    onEntry: (entry: LogEntry) => void,
    isCutOff: () => boolean,
  ): () => void {
    let next = from;
    const tell = () => {
      if (!this.isReachable || isCutOff()) return;
      for (const entry of this.entries) {
        if (entry.logSeq < next) continue;
        next = entry.logSeq + 1;
        onEntry(entry);
      }
    };
    this.followers.add(tell);
    queueMicrotask(() => {
      if (this.followers.has(tell)) tell();
    });
    return () => void this.followers.delete(tell);
  }
}
