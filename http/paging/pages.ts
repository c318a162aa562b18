/** Pages of rows that are numbered from 0, shown newest first, with a cursor from page to page. */
import type { Service } from "../service.ts";

export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** The next page's cursor, or null when `last` was the final row. */
export function nextCursor(
  { cursors, clock }: Service,
  last: string | undefined,
  bound: string,
): string | null {
  return last === undefined ? null : cursors.make(last, bound, clock.nowMs());
}

/** Index of the first of `count` rows, sorted by rising time, that is later than `ms`. */
export function firstLater(count: number, ms: number, getTime: (row: number) => number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (getTime(middle) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}
