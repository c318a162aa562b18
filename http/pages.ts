/** Pages of rows that are numbered from 0, newest first, with a cursor between two pages. */
import { RefusalError } from "./refusal-error.ts";
import type { Service } from "./service.ts";

export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Where the last page ended, as it was given to `nextCursor`; throws `RefusalError` with 400. */
export function afterOf(
  { cursors, clock }: Service,
  { cursor }: PageQuery,
  bound: string,
): string | undefined {
  if (cursor === undefined) return undefined;
  const after = cursors.read(cursor, bound, clock.nowMs());
  if (after !== undefined) return after;
  const detail = "is malformed, expired or of another listing";
  throw new RefusalError({ code: "validation", faults: [{ pointer: "?cursor", detail }] });
}

/** Null when `last` was the end. */
export function nextCursor(
  { cursors, clock }: Service,
  last: string | undefined,
  bound: string,
): string | null {
  return last === undefined ? null : cursors.make(last, bound, clock.nowMs());
}

/** The first of `count` rising rows, by their times, that is later than `ms`. */
export function firstLater(count: number, ms: number, timeOf: (row: number) => number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (timeOf(middle) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}
