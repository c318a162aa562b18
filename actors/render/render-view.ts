/** Builds the client's view of a render from its rows; only this file writes its wire names. */

import type { Render as RenderView } from "../../contract/render.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Render, RenderNotes, RenderOrder } from "../protocol/render.ts";

/** `hasAsset` says whether the asset that the render made still exists. */
export function renderView(
  render: Render,
  order: RenderOrder,
  notes: RenderNotes | undefined,
  hasAsset: boolean,
): RenderView {
  const isDone = render.phase === "succeeded";
  return {
    id: render.id,
    composition_id: render.composition,
    user_id: render.user,
    status: render.phase,
    target: order.target,
    composition_revision: order.revision,
    params: notes?.params ?? order.params ?? {},
    progress: getProgress(render),
    width: (isDone ? render.width : undefined) ?? null,
    height: (isDone ? render.height : undefined) ?? null,
    duration_seconds: (isDone ? render.durationSeconds : undefined) ?? null,
    asset_id: isDone && hasAsset ? render.asset : null,
    warnings: [...(order.warnings ?? []), ...(notes?.warnings ?? [])],
    error: notes?.error ?? null,
    created_at: timestamp(render.createdAtMs),
    updated_at: timestamp(render.updatedAtMs),
    started_at: formatInstant("startedAtMs" in render ? render.startedAtMs : undefined),
    finished_at: formatInstant("finishedAtMs" in render ? render.finishedAtMs : undefined),
  };
}

function getProgress(render: Render): number | null {
  if (render.phase === "succeeded") return 1;
  return render.phase === "running" ? render.progress : null;
}

function formatInstant(atMs: number | undefined): string | null {
  return atMs === undefined ? null : timestamp(atMs);
}
