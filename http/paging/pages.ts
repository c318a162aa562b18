/** Pages of rows that are numbered from 0, newest first, with a cursor between two pages. */
import type { Service } from "../service.ts";

export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
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
export function firstLater(count: number, ms: number, getTime: (row: number) => number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (getTime(middle) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}
