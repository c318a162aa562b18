/**
 * Decides when an owner's fresh rows go into the tables, one flush at a time. A flush that fails,
 * for example on a full disk, is repeated: its rows are durable in the journal and stay fresh
 * meanwhile.
 */
import { limits } from "../../config/limits.ts";
import type { Domain } from "../domain.ts";
import type { Clock } from "../ports/clock.ts";
import { PortError } from "../ports/port-error.ts";
import { flushRows, type Position } from "./flush.ts";
import type { ShardRows } from "./rows/shard-rows.ts";

export interface FlusherPorts {
  readonly clock: Clock;
  readonly rows: ShardRows;
  readonly domain: Domain;
  readonly event: (
    event:
      | { readonly kind: "frozen" | "stuck" }
      | { readonly kind: "flushed"; seq: number }
      | { readonly kind: "held"; number: number; epoch: number; seq: number },
  ) => void;
  /** Drops journal records that neither the tables nor other nodes need. */
  readonly trim: (seq: number) => Promise<void>;
  /** Called when flushes begin to fail; with undefined when one has succeeded again. */
  readonly onFailing: (error: PortError | undefined) => void;
  /**
   * Called when a flush has ended, with the failure if no later flush mends it; when one has made
   * room for a shard that waited for it; or when a hold is wanted.
   */
  readonly onEnded: (failure: { readonly error: unknown } | undefined) => void;
}

export class Flusher {
  private readonly ports: FlusherPorts;
  private running: Promise<void> | undefined;
  private flushedSeq: number;
  /** Position of the last frozen row, until the frozen rows are in the tables. */
  private frozenAt: Position | undefined;
  /** Whether the last flush failed. */
  private isStuck = false;
  private isWanted = false;
  /** Whether others wait for the running flush. */
  private isAwaited = false;
  /** Ends the pause between two transactions. */
  private wake = () => {};
  private nextMs = 0;
  private isFinishing = false;
  /** The number of the hold that is wanted. */
  private wantedHold: number | undefined;
  /** Ends the current hold. */
  private endHold = () => {};
  /** When the last pause ended, by the monotonic clock. */
  private restedMs = 0;
  /** How many of the frozen rows are in the tables already. */
  private stored = 0;

  /** `flushedSeq` is the sequence number of the tables' last record. */
  constructor(ports: FlusherPorts, flushedSeq: number) {
    this.ports = ports;
    this.flushedSeq = flushedSeq;
  }

  /**
   * Whether so many rows are in no table that some have to be stored before more are accepted: the
   * shard then runs as fast as the tables take them.
   */
  get isFull(): boolean {
    const left = this.ports.rows.fresh.size - this.stored;
    return this.frozenAt !== undefined && left >= this.rowsMax;
  }

  /** How many rows may be fresh: fewer where they are too large for the memory that they have. */
  private get rowsMax(): number {
    const { freshRowsMax } = limits.engine;
    const { fresh, memory } = this.ports.rows;
    if (memory === undefined || fresh.size === 0) return freshRowsMax;
    return Math.min(freshRowsMax, (memory.freshBytesMax * fresh.size) / fresh.bytes);
  }

  /** Whether a flush is due by their number. */
  private get isMuch(): boolean {
    const { flushRows, freshRowsMax } = limits.engine;
    return this.ports.rows.fresh.size >= this.rowsMax * (flushRows / freshRowsMax);
  }

  /** Makes a flush due, without pauses in it, because others wait for the current fresh rows. */
  want(): void {
    this.isWanted = true;
    this.wake();
  }

  /** Call only between two puts, with the last record: rows in the tables can be read. */
  startWhenDue(position: Position, nowMs: number): void {
    if (!this.isDue(position, nowMs)) return;
    this.isAwaited = this.isWanted;
    this.isWanted = false;
    this.nextMs = nowMs + limits.engine.flushIntervalMs;
    const onEnd = (failure?: { readonly error: unknown }) => {
      this.running = undefined;
      const isRepeated = failure?.error instanceof PortError;
      if (isRepeated) this.stick(failure.error as PortError);
      this.ports.onEnded(isRepeated ? undefined : failure);
    };
    this.running = this.flush(position).then(
      () => onEnd(),
      (error: unknown) => onEnd({ error }),
    );
  }

  /** Resolves when all rows up to `position` are in the tables. Throws `PortError`. */
  async finish(position: Position): Promise<void> {
    this.isFinishing = true;
    this.wake();
    await this.running;
    try {
      do await this.flush(position);
      while (this.ports.rows.fresh.size > 0);
    } finally {
      this.isFinishing = false;
    }
  }

  /** Asks for the hold with this number; undefined ends one that has begun. */
  wantHold(number: number | undefined): void {
    this.wantedHold = number;
    if (number === undefined) this.endHold();
    else this.ports.onEnded(undefined);
  }

  get isHoldWanted(): boolean {
    return this.wantedHold !== undefined;
  }

  /**
   * Call only between two puts, with the last durable record: nothing is committed before it
   * resolves. A flush that fails is left to the next one, and the hold is not confirmed.
   */
  async hold(position: Position): Promise<void> {
    const { clock, event } = this.ports;
    try {
      await this.finish(position);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.wantedHold = undefined;
    }
    const number = this.wantedHold;
    if (number === undefined) return;
    event({ kind: "held", number, epoch: position.epoch, seq: position.seq });
    await new Promise<void>((resolve) => {
      const cancel = clock.after(2 * limits.engine.holdMs, resolve);
      this.endHold = () => {
        cancel();
        resolve();
      };
    });
    this.endHold = () => {};
    this.wantedHold = undefined;
  }

  /** Pauses as long as the last transaction took, unless others wait for the flush's end. */
  private rest(stored: number): Promise<void> {
    const wasFull = this.isFull;
    this.stored += stored;
    if (wasFull) this.ports.onEnded(undefined);
    const { clock } = this.ports;
    const nowMs = clock.monotonicMs();
    const tookMs = nowMs - this.restedMs;
    const isUrgent = this.isMuch || this.isFinishing || this.isAwaited || this.isWanted;
    return new Promise((resolve) => {
      let cancel = () => {};
      this.wake = () => {
        cancel();
        this.restedMs = clock.monotonicMs();
        resolve();
      };
      if (isUrgent) setImmediate(this.wake);
      else cancel = clock.after(Math.min(tookMs, limits.engine.flushRestMs), this.wake);
    });
  }

  private isDue(position: Position, nowMs: number): boolean {
    if (this.running !== undefined) return false;
    const isOld = position.seq > this.flushedSeq && nowMs >= this.nextMs;
    if (this.isStuck) return isOld;
    return this.isWanted || isOld || this.isMuch;
  }

  /** Notes the failure; reads that wait for the flush continue with the fresh rows instead. */
  private stick(error: PortError): void {
    if (this.isStuck) return;
    this.isStuck = true;
    this.ports.event({ kind: "stuck" });
    this.ports.onFailing(error);
  }

  /** Rows that an earlier flush could not write are written before newer fresh rows. */
  private async flush(reached: Position): Promise<void> {
    const { rows, domain, event, trim, onFailing } = this.ports;
    if (this.frozenAt === undefined) {
      rows.fresh.freeze();
      event({ kind: "frozen" });
    }
    this.frozenAt ??= reached;
    const position = this.frozenAt;
    this.restedMs = this.ports.clock.monotonicMs();
    this.stored = 0;
    if (position.seq > this.flushedSeq) {
      await rows.fresh.findFrozen(() => new Promise(setImmediate));
      await flushRows(rows, rows.fresh.lastWrites(), position, domain, (stored) =>
        this.rest(stored),
      );
      this.flushedSeq = position.seq;
      await trim(position.seq);
    }
    rows.tables.refresh();
    rows.fresh.thaw();
    this.stored = 0;
    this.frozenAt = undefined;
    event({ kind: "flushed", seq: position.seq });
    if (this.isStuck) onFailing(undefined);
    this.isStuck = false;
  }
}
