/**
 * `GET /compositions`: newest first, from the heads of a scope's compositions, which are sorted by
 * id. Long searches let other requests through between steps.
 */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { compositionView } from "../../actors/composition/composition-view.ts";
import {
  type Composition,
  type CompositionDetails,
  compositionDetailsKey,
  compositionKey,
  compositionsKey,
} from "../../actors/protocol/composition.ts";
import { studioKey } from "../../actors/protocol/studio.ts";
import { limits } from "../../config/limits.ts";
import type { Composition as CompositionView } from "../../contract/composition.ts";
import { idBytes, parseId } from "../../engine/id.ts";
import { getRange } from "../../engine/key.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import { frameAt, takeSnapshot } from "./compositions.ts";

export interface CompositionQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly series: string | undefined;
  readonly q: string | undefined;
}

interface Found {
  readonly composition: Composition;
  readonly details: CompositionDetails;
}

export async function listCompositions(call: Call<unknown, CompositionQuery>): Promise<Answer> {
  const { service, principal, query } = call;
  const { cursor, limit, ...filters } = query;
  const bound = JSON.stringify(["compositions", principal.scope, filters]);
  const nowMs = service.clock.nowMs();
  const after = parseId(service.cursors.after(cursor, bound, nowMs) ?? "");
  const isFiltered = filters.series !== undefined || filters.q !== undefined;
  const { found, total } = await search(call, after, limit + 1, isFiltered);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const items: CompositionView[] = [];
  for (const one of page) items.push(...(await viewRow(call, one)));
  return json(200, {
    items,
    next_cursor:
      last === undefined ? null : service.cursors.make(last.composition.id, bound, nowMs),
    total: isFiltered
      ? total
      : (service.gateway.read(studioKey(principal.scope))?.compositions ?? 0),
  });
}

/** Finds at most `count` compositions after the cursor; with a filter also the number of all. */
async function search(
  { service, principal, query }: Call<unknown, CompositionQuery>,
  after: string | undefined,
  count: number,
  countsAll: boolean,
): Promise<{ readonly found: Found[]; readonly total: number }> {
  const prefix = compositionsKey(principal.scope);
  const { start, end: last } = getRange(prefix);
  const first = after === undefined ? last : prefix + idBytes(after);
  let end = countsAll ? last : first;
  const found: Found[] = [];
  let total = 0;
  for (;;) {
    const stride = Math.min(limits.jobs.listStride, Math.max(2 * count, 64));
    const rows = await service.gateway.range({ start, end }, stride, true);
    for (const row of rows) {
      const { key } = row;
      const composition = service.gateway.row<Composition>(row);
      const details = service.gateway.read(compositionDetailsKey(key));
      if (details === undefined || !isWanted(details, query)) continue;
      total++;
      if (key < first && found.length < count) found.push({ composition, details });
      if (found.length === count && !countsAll) return { found, total };
    }
    const lowest = rows.at(-1);
    if (lowest === undefined || rows.length < stride) return { found, total };
    end = lowest.key;
    await turnOfTheLoop();
  }
}

function isWanted({ name, description, meta }: CompositionDetails, query: CompositionQuery) {
  const { series, q } = query;
  if (series !== undefined && meta["series"] !== series) return false;
  const wanted = q?.toLowerCase();
  if (wanted === undefined) return true;
  return [name, description ?? ""].some((text) => text.toLowerCase().includes(wanted));
}

/** The view, or nothing for a composition that was deleted meanwhile. */
async function viewRow(
  call: Call<unknown, CompositionQuery>,
  { composition, details }: Found,
): Promise<CompositionView[]> {
  const { id, scope, frame, revision } = composition;
  if (frame?.revision === revision)
    return [compositionView(composition, details, frame, undefined)];
  try {
    const snapshot = await takeSnapshot({ ...call, id });
    const found = await frameAt(call.service, snapshot);
    const now = call.service.gateway.read(compositionDetailsKey(compositionKey(scope, id)));
    return [compositionView(snapshot.composition, now ?? details, found, undefined)];
  } catch (error) {
    if (error instanceof RefusalError) return [];
    throw error;
  }
}
