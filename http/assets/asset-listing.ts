/**
 * `GET /assets`: lists a scope's assets, newest first, from their heads, which are sorted by id.
 * Assets in the trash are listed only on request. Long searches let other requests through between
 * steps.
 */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { assetIndex } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import {
  type Asset,
  assetsKey,
  getMimeType,
  getModality,
  getSource,
  getStatus,
} from "../../actors/protocol/asset.ts";
import { limits } from "../../config/limits.ts";
import { type Modality, modalities } from "../../config/modalities.ts";
import type { AssetStatus, Asset as AssetView } from "../../contract/asset.ts";
import { idBytes, parseId } from "../../engine/id.ts";
import { getRange } from "../../engine/key.ts";
import { type Answer, json } from "../exchange/answer.ts";
import type { Call } from "../route.ts";

export interface AssetQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly modality: readonly Modality[] | undefined;
  readonly status: readonly AssetStatus[] | undefined;
  readonly favorite: boolean | undefined;
  readonly tag: string | undefined;
  readonly source: readonly AssetView["source"][] | undefined;
  readonly q: string | undefined;
}

const untrashed: readonly AssetStatus[] = ["pending_upload", "processing", "ready", "failed"];

export async function listAssets(call: Call<unknown, AssetQuery>): Promise<Answer> {
  const { service, principal, query } = call;
  const { cursor, limit, ...filters } = query;
  const bound = JSON.stringify(["assets", principal.scope, filters]);
  const nowMs = service.clock.nowMs();
  const after = service.cursors.after(cursor, bound, nowMs);
  const found = await search(call, parseId(after ?? ""), limit + 1);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return json(200, {
    items,
    next_cursor: last === undefined ? null : service.cursors.make(last.id, bound, nowMs),
    total: countTotal(call),
  });
}

async function search(
  { service, principal, query }: Call<unknown, AssetQuery>,
  after: string | undefined,
  count: number,
): Promise<AssetView[]> {
  const prefix = assetsKey(principal.scope);
  const { start } = getRange(prefix);
  let end = after === undefined ? getRange(prefix).end : prefix + idBytes(after);
  const found: AssetView[] = [];
  for (;;) {
    const stride = Math.min(limits.jobs.listStride, Math.max(2 * count, 64));
    const rows = await service.gateway.range({ start, end }, stride, true);
    for (const row of rows) {
      const asset = service.gateway.row<Asset>(row);
      if (!isWanted(asset, query)) continue;
      const view = service.jobs.assetView(asset);
      if (!isNamed(view, query)) continue;
      found.push(view);
      if (found.length === count) return found;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < stride) return found;
    end = last.key;
    await turnOfTheLoop();
  }
}

function isWanted(asset: Asset, { status, modality, favorite, source }: AssetQuery): boolean {
  const now = getStatus(asset);
  if (now === undefined || !(status ?? untrashed).includes(now)) return false;
  const kind = getModality(getMimeType(asset));
  if (modality !== undefined && (kind === undefined || !modality.includes(kind))) return false;
  if (favorite !== undefined && (asset.favorite ?? false) !== favorite) return false;
  return source === undefined || source.includes(getSource(asset));
}

/** Searches the whole view, since a generated asset is named by its job. */
function isNamed({ tags, display_name, prompt }: AssetView, { tag, q }: AssetQuery): boolean {
  if (tag !== undefined && !tags.includes(tag)) return false;
  const wanted = q?.toLowerCase();
  if (wanted === undefined) return true;
  return display_name.toLowerCase().includes(wanted) || prompt.toLowerCase().includes(wanted);
}

/** Counts all assets that match status and modality; other filters do not change the total. */
function countTotal({ service, principal, query }: Call<unknown, AssetQuery>): number {
  const counts = service.gateway.read(accountKey(principal.scope))?.assets ?? [];
  let total = 0;
  for (const status of query.status ?? untrashed)
    for (const modality of query.modality ?? [...modalities, undefined])
      total += counts[assetIndex(modality, status)] ?? 0;
  return total;
}
