/**
 * The replicated log of one shard, as its servers keep it and as nodes reach it: a request and its
 * answer travel, and either may be lost, so that what is stored may be unknown to who stored it.
 * Without faults it behaves as the adapters do.
 */
import type { Log, LogEnd, LogEntry, LogSize } from "../../../engine/ports/log.ts";
import { PortError } from "../../../engine/ports/port-error.ts";
import type { Dice } from "./dice.ts";
import type { Life, Timeline } from "./timeline.ts";

const timeoutMs = 2_000;
/** Number of remembered attempts' ids at which the log forgets them all. */
const idsMax = 2_000;

/** How a node reaches the log. */
export interface LogLine {
  readonly life: Life | undefined;
  /** Whether what the node sends arrives, and whether what the log answers does. */
  sends(): boolean;
  hears(): boolean;
  /** Whether entries are not delivered, though all else is answered. */
  isMute(): boolean;
}

export class SimLog {
  /** Percentage of requests that are stored and not answered; then of answers that come late. */
  unanswered = 0;
  late = 0;
  /** Whether the servers have no leader. */
  isAway = false;
  private readonly timeline: Timeline;
  private readonly dice: Dice;
  private entries = new Map<number, Uint8Array>();
  private firstSeq = 1;
  private endSeq = 0;
  /** How many entries are missing from the replica that answers reads. */
  private lag = 0;
  private sequenceById = new Map<string, number>();
  /** What the servers have that do not lead, while they disagree. */
  private others:
    | { entries: Map<number, Uint8Array>; firstSeq: number; endSeq: number }
    | undefined;
  private readonly followers = new Set<() => void>();
  /** Counts the logs that were begun in place of this one. */
  private version = 0;

  constructor(timeline: Timeline, dice: Dice) {
    this.timeline = timeline;
    this.dice = dice;
  }

  get end(): number {
    return this.endSeq;
  }

  /** The last record, or undefined when it was trimmed. */
  get lastRecord(): Uint8Array | undefined {
    return this.entries.get(this.endSeq);
  }

  /** The first record that was not trimmed. */
  get firstRecord(): Uint8Array | undefined {
    return this.entries.get(this.firstSeq);
  }

  /** Opens one node's way to the log. */
  open(line: LogLine): Log {
    return {
      publish: (record, id, after) => {
        const bytes = new Uint8Array(record);
        return this.request(line, () => this.publish(bytes, id, after));
      },
      end: () => this.request(line, () => this.lastShown()),
      agreedEnd: () =>
        this.request(
          line,
          () => this.lastShown(),
          () => !this.isLagging,
        ),
      at: (logSeq) => this.request(line, () => this.entryAt(logSeq)),
      follow: (logSeq, onEntry) => this.follow(line, logSeq, onEntry),
      size: () => this.request(line, () => this.size()),
      trim: (logSeq) => this.request(line, () => this.trim(logSeq)),
      restart: () => this.request(line, () => this.lose()),
    };
  }

  /** Loses all of the log, or what is behind `logSeq`. */
  lose(logSeq = 0): void {
    for (let at = logSeq + 1; at <= this.endSeq; at++) this.entries.delete(at);
    this.endSeq = Math.min(this.endSeq, logSeq);
    if (logSeq === 0) this.firstSeq = 1;
    else this.firstSeq = Math.min(this.firstSeq, this.endSeq + 1);
    this.lag = 0;
    this.sequenceById = new Map();
    this.version++;
    this.tellFollowers();
  }

  /**
   * Lets a server lead that has only the entries up to `logSeq`: what it takes is lost again when
   * the others lead once more.
   */
  fork(logSeq: number): void {
    const { entries, firstSeq, endSeq } = this;
    this.others = { entries: new Map(entries), firstSeq, endSeq };
    this.lose(logSeq);
  }

  /** Lets the servers lead that `fork` has left; does nothing without one. */
  endFork(): void {
    if (this.others === undefined) return;
    ({ entries: this.entries, firstSeq: this.firstSeq, endSeq: this.endSeq } = this.others);
    this.others = undefined;
    this.sequenceById = new Map();
    this.version++;
    this.tellFollowers();
  }

  /** Makes the servers forget which attempts they have seen. */
  forgetIds(): void {
    this.sequenceById.clear();
  }

  trim(logSeq: number): void {
    const last = Math.min(logSeq, this.endSeq);
    for (let at = this.firstSeq; at <= last; at++) this.entries.delete(at);
    this.firstSeq = Math.max(this.firstSeq, last + 1);
  }

  /** Lets a server that lacks so many entries, and was left by the others, answer; 0 ends it. */
  showLess(entries: number): void {
    this.lag = entries;
  }

  get isLagging(): boolean {
    return this.lag > 0;
  }

  /** Sequence of the last entry that is shown. */
  private get shownSeq(): number {
    return Math.min(this.endSeq, Math.max(this.firstSeq, this.endSeq - this.lag));
  }

  private lastShown(): LogEnd {
    const logSeq = this.shownSeq;
    return { logSeq, record: this.entries.get(logSeq) };
  }

  private entryAt(logSeq: number): LogEntry | undefined {
    if (logSeq > this.shownSeq) return undefined;
    const record = this.entries.get(logSeq);
    return record && { logSeq, record };
  }

  private size(): LogSize {
    let bytes = 0;
    for (const record of this.entries.values()) bytes += record.length;
    return { firstSeq: this.firstSeq, bytes };
  }

  private publish(record: Uint8Array, id: string, after: number): boolean {
    const known = this.sequenceById.get(id);
    if (known !== undefined) return known === after + 1;
    if (this.endSeq !== after) return false;
    this.endSeq = after + 1;
    this.entries.set(this.endSeq, record);
    if (this.sequenceById.size >= idsMax) this.sequenceById.clear();
    this.sequenceById.set(id, this.endSeq);
    this.tellFollowers();
    return true;
  }

  private request<Answer>(
    line: LogLine,
    carryOut: () => Answer,
    isAnswered: () => boolean = () => true,
  ): Promise<Answer> {
    const { timeline, dice } = this;
    const { life } = line;
    const wayMs = dice.between(1, 2);
    const isStored = line.sends() && !this.isAway;
    const isUnanswered = dice.percent(this.unanswered);
    const isLate = dice.percent(this.late);
    return new Promise((resolve, reject) => {
      // A message on its way arrives, whatever becomes of its sender.
      if (isStored)
        timeline.after(undefined, isLate ? dice.between(20, 1_500) : wayMs, () => {
          if (this.isAway || !isAnswered()) return;
          const answer = carryOut();
          if (isUnanswered || !line.hears()) return;
          timeline.after(life, wayMs, () => {
            giveUp();
            resolve(answer);
          });
        });
      const waitMs = isStored ? timeoutMs : dice.pick([20, 200, timeoutMs]);
      const giveUp = timeline.after(life, waitMs, () =>
        reject(new PortError("the log does not answer", true)),
      );
    });
  }

  private follow(line: LogLine, from: number, onEntry: (entry: LogEntry) => void): () => void {
    const { timeline, dice } = this;
    let next = from;
    let { version } = this;
    let isOver = false;
    let isPending = false;
    const deliver = () => {
      isPending = false;
      if (isOver) return;
      // A subscription of a log that no longer exists delivers nothing.
      if (version !== this.version && this.endSeq < next - 1) return;
      version = this.version;
      if (!line.hears() || !line.sends() || line.isMute() || this.isAway) return later(250);
      next = Math.max(next, this.firstSeq);
      while (next <= this.endSeq) {
        const record = this.entries.get(next);
        if (record === undefined) break;
        onEntry({ logSeq: next++, record });
      }
    };
    const later = (delayMs: number) => {
      if (isPending || isOver) return;
      isPending = true;
      timeline.after(line.life, delayMs, deliver);
    };
    const tell = () => later(dice.percent(this.late) ? dice.between(20, 800) : dice.between(1, 3));
    this.followers.add(tell);
    tell();
    return () => {
      isOver = true;
      this.followers.delete(tell);
    };
  }

  private tellFollowers(): void {
    for (const tell of this.followers) tell();
  }
}
