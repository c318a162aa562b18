/**
 * `GET /me/credits/ledger`: an item an entry, newest first. A row of the ledger is what one turn
 * did and may have two entries; rows are numbered without gaps and their times rise, so a time is
 * found by halving.
 */

import { type LedgerRow, ledgerKey } from "../actors/account/account.ts";
import { accountKey } from "../actors/account/account-messages.ts";
import { timestamp } from "../actors/contract/common.ts";
import type { LedgerEntry } from "../actors/contract/ledger.ts";
import type { Gateway } from "../engine/gateway.ts";
import type { Id } from "../engine/id.ts";
import { type Answer, json } from "./answer.ts";
import { firstLater, nextCursor, type PageQuery } from "./pages.ts";
import type { Call } from "./route.ts";

interface LedgerQuery extends PageQuery {
  readonly created_after: number | undefined;
  readonly created_before: number | undefined;
}

export function listLedger({ service, principal, query }: Call<unknown, LedgerQuery>): Answer {
  const { limit, created_after: after, created_before: before } = query;
  const { scope } = principal;
  const bound = JSON.stringify(["ledger", scope, after, before]);
  const shown = service.cursors.after(query.cursor, bound, service.clock.nowMs());
  const rows = rowsBetween(service.gateway, scope, after, (before ?? Infinity) - 1);
  const items = entriesBelow(service.gateway, scope, rows, shown, limit + 1);
  const page = items.slice(0, limit);
  const last = items.length > limit ? page.at(-1)?.id : undefined;
  return json(200, { items: page, next_cursor: nextCursor(service, last, bound) });
}

/** Rows later than `fromMs` and not later than `toMs`: the first, and the one behind the last. */
export function rowsBetween(
  gateway: Gateway,
  scope: Id,
  fromMs: number | undefined,
  toMs: number,
): { readonly start: number; readonly end: number } {
  const count = gateway.read(accountKey(scope))?.ledgerLength ?? 0;
  const timeOf = (row: number) => ledgerRow(gateway, scope, row)?.atMs ?? 0;
  const start = fromMs === undefined ? 0 : firstLater(count, fromMs, timeOf);
  const end = toMs === Infinity ? count : firstLater(count, toMs, timeOf);
  return { start, end };
}

export function ledgerRow(gateway: Gateway, scope: Id, row: number): LedgerRow | undefined {
  return gateway.read(ledgerKey(accountKey(scope), row));
}

/** Up to `count` entries, newest first, of those before the entry `shown`. */
function entriesBelow(
  gateway: Gateway,
  scope: Id,
  { start, end }: { start: number; end: number },
  shown: string | undefined,
  count: number,
): LedgerEntry[] {
  const [shownRow = end, shownPart = 0] = shown?.split("-").map(Number) ?? [];
  const found: LedgerEntry[] = [];
  for (let row = Math.min(end - 1, shownRow); row >= start && found.length < count; row--) {
    const stored = ledgerRow(gateway, scope, row);
    const parts = stored?.entries.length ?? 0;
    const first = row === shownRow ? Math.min(parts, shownPart) : parts;
    for (let part = first - 1; part >= 0 && found.length < count; part--)
      if (stored !== undefined) found.push(entryView(stored, row, part));
  }
  return found;
}

function entryView({ atMs, job, note, entries }: LedgerRow, row: number, part: number) {
  const { type = "adjust", amount = 0, balance = 0 } = entries[part] ?? {};
  const view: LedgerEntry = {
    id: `${row}-${part}`,
    at: timestamp(atMs),
    type,
    amount,
    balance_after: balance,
  };
  if (job !== undefined) view.job_id = job;
  if (note !== undefined) view.note = note;
  return view;
}
