/**
 * `GET /me/credits/ledger`: an item an entry, newest first. A row of the ledger is the work of one
 * step and may have two entries; rows are numbered without gaps and their times rise, so a time is
 * found by halving. A renewal is shown from the 1st on, also before a step has written it.
 */

import { pendingRenewal } from "../../actors/account/renewal.ts";
import { type LedgerRow, ledgerKey } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import type { LedgerEntry } from "../../contract/ledger.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Id } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { firstLater, nextCursor, type PageQuery } from "../paging/pages.ts";
import type { Call } from "../route.ts";

interface LedgerQuery extends PageQuery {
  readonly created_after: number | undefined;
  readonly created_before: number | undefined;
}

export function listLedger({ service, principal, query }: Call<unknown, LedgerQuery>): Answer {
  const { limit, created_after: after, created_before: before } = query;
  const { scope } = principal;
  const bound = JSON.stringify(["ledger", scope, after, before]);
  const nowMs = service.clock.nowMs();
  const shown = service.cursors.after(query.cursor, bound, nowMs);
  const ledger = readLedger(service.gateway, scope, nowMs);
  const rows = rowsBetween(ledger, after, (before ?? Infinity) - 1);
  const items = entriesBelow(ledger, rows, shown, limit + 1);
  const page = items.slice(0, limit);
  const last = items.length > limit ? page.at(-1)?.id : undefined;
  return json(200, { items: page, next_cursor: nextCursor(service, last, bound) });
}

export interface Ledger {
  readonly length: number;
  readonly row: (at: number) => LedgerRow | undefined;
}

export function readLedger(gateway: Gateway, scope: Id, nowMs: number): Ledger {
  const key = accountKey(scope);
  const account = gateway.read(key);
  const written = account?.ledgerLength ?? 0;
  const pending = account && pendingRenewal(account, nowMs)?.ledgerRow;
  return {
    length: pending === undefined ? written : written + 1,
    row: (at) => (at === written ? pending : gateway.read(ledgerKey(key, at))),
  };
}

/** Rows later than `fromMs`, up to and including `toMs`: the first, and the one after the last. */
export function rowsBetween(
  { length, row }: Ledger,
  fromMs: number | undefined,
  toMs: number,
): { readonly start: number; readonly end: number } {
  const getTime = (at: number) => row(at)?.atMs ?? 0;
  const start = fromMs === undefined ? 0 : firstLater(length, fromMs, getTime);
  const end = toMs === Infinity ? length : firstLater(length, toMs, getTime);
  return { start, end };
}

/** Returns up to `count` entries that precede the entry `shown`, newest first. */
function entriesBelow(
  ledger: Ledger,
  { start, end }: { start: number; end: number },
  shown: string | undefined,
  count: number,
): LedgerEntry[] {
  const [shownRow = end, shownPart = 0] = shown?.split("-").map(Number) ?? [];
  const found: LedgerEntry[] = [];
  for (let row = Math.min(end - 1, shownRow); row >= start && found.length < count; row--) {
    const stored = ledger.row(row);
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
