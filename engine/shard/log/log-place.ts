/** Finds where in the log a shard's own records end. */
import type { Log } from "../../ports/log.ts";
import { PortError } from "../../ports/port-error.ts";
import { computeHash, readHead, verify } from "../../record.ts";
import type { Position } from "../flush.ts";

export type LogPlace =
  /** Our last record is the log's entry `logSeq`; the log may have later ones. */
  | { readonly kind: "found"; readonly logSeq: number }
  /** There are no records anywhere. */
  | { readonly kind: "new" }
  /** The log lacks records that are here. */
  | { readonly kind: "short" }
  /**
   * The log begins with later records. Of one that has none any more the epoch is 0 for a node
   * without records, and above all others for one that has some.
   */
  | { readonly kind: "trimmed"; readonly logEpoch: number }
  /** The log has other records: it was written by an owner that did not have ours. */
  | { readonly kind: "diverged"; readonly logEpoch: number };

/** Finds the place of `position` in the log. Throws `PortError`. */
export async function findPlace(log: Log, position: Position): Promise<LogPlace> {
  const { seq, hash } = position;
  const end = await log.end();
  if (end.record === undefined) {
    if (seq === 0) return end.logSeq === 0 ? { kind: "new" } : { kind: "trimmed", logEpoch: 0 };
    if (position.logSeq === 0 || end.logSeq < position.logSeq) return { kind: "short" };
    // It is no longer known who wrote the records after ours.
    return end.logSeq === position.logSeq
      ? { kind: "found", logSeq: end.logSeq }
      : { kind: "trimmed", logEpoch: Number.POSITIVE_INFINITY };
  }
  const { seq: lastSeq, epoch: lastEpoch } = readHead(end.record);
  const trimmed = { kind: "trimmed", logEpoch: lastEpoch } as const;
  const diverged = { kind: "diverged", logEpoch: lastEpoch } as const;
  if (lastSeq < seq) return lastEpoch > position.epoch ? diverged : { kind: "short" };
  // Computed from the end, because a log has one entry for each record.
  const logSeq = end.logSeq - (lastSeq - seq);
  if (logSeq < 0) return trimmed;
  const own = logSeq === end.logSeq ? end : logSeq > 0 ? await log.at(logSeq) : undefined;
  if (seq > 0 && own?.record !== undefined) {
    if (computeHash(own.record) !== hash) return diverged;
    if (logSeq === end.logSeq) return { kind: "found", logSeq };
  }
  // Our record may be trimmed, and the next one may not continue our history.
  const next = await log.at(logSeq + 1);
  if (next === undefined) return trimmed;
  return verify(next.record, hash) !== undefined ? { kind: "found", logSeq } : diverged;
}

/**
 * The epoch that another node's rows must have reached to take the place of those at `position`;
 * undefined where they are not needed, or the log cannot be reached. Only a takeover makes another
 * history that may replace ours; one that began anew beside it may not.
 */
export async function findEpochNeeded(log: Log, position: Position): Promise<number | undefined> {
  const place = await findPlace(log, position).catch(onUnreached);
  if (place?.kind === "trimmed") return position.epoch;
  return place?.kind === "diverged" ? position.epoch + 1 : undefined;
}

/** Whether `position` is at `loss`, the record from which the operator lets a node resume. */
export function isAt(
  { epoch, seq }: Position,
  loss: Pick<Position, "epoch" | "seq"> | undefined,
): boolean {
  return loss !== undefined && loss.epoch === epoch && loss.seq === seq;
}

/** Returns undefined for the error of an unreachable log; rethrows any other. */
export function onUnreached(error: unknown): undefined {
  if (error instanceof PortError && error.retryable) return undefined;
  throw error;
}
