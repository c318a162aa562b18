/**
 * How an asset moves.
 *
 *   pending_upload --complete--> processing --probe--> ready <--restore-- trashed --30 days--> gone
 *      |                             |                    \---trash-------^
 *      +--abort, 24 h--> abandoned   +--probe refuses--> failed --24 h--> gone
 *
 * 1. What a generation made is ready at once; what came from outside is looked into by the farm.
 * 2. The account counts every change of status in the same step.
 * 3. Bytes are removed after the step that gives them up is durable; see `removal.ts`.
 */

import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { AssetStatus } from "../../contract/asset.ts";
import {
  type Actor,
  answer,
  type Context,
  type Decision,
  decision,
  put,
  type RowWrite,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { runFarmTask } from "../job/run-farm-task.ts";
import { accountKey } from "../protocol/account-messages.ts";
import {
  type Asset,
  type AssetEffect,
  type AssetMessage,
  type AssetPatch,
  getMimeType,
  getModality,
  getStatus,
  getStoredBytes,
  type PendingAsset,
  type ProcessingAsset,
  uploadPartKey,
} from "../protocol/asset.ts";
import type { FarmTask } from "../protocol/farm-task.ts";
import type { Outcome } from "../protocol/job.ts";
import { isShared } from "../protocol/media.ts";
import type { Rows } from "../protocol/owner.ts";
import { removalKey } from "../protocol/removal.ts";
import { createRefused, type Refusal } from "../refusal.ts";
import { done } from "../reply.ts";

type AssetDecision = Decision<Asset, AssetEffect>;
type AssetContext = Context<ReplyTo<AssetMessage>>;

export const assetActor: Actor<Asset, AssetMessage, AssetEffect> = {
  kind: "asset",
  decide(asset, message, ctx) {
    if (message.kind === "create") return create(asset, message.asset, ctx);
    if (asset === undefined) return refuse(undefined, { code: "not_found" }, ctx);
    switch (message.kind) {
      case "patch":
        return answerDone(asset, applyPatch(asset, message.patch), ctx);
      case "trash":
        return trash(asset, ctx);
      case "restore":
        return restore(asset, ctx);
      case "remove":
        return remove(asset, ctx);
      case "store_part":
        return storePart(asset, message, ctx);
      case "complete":
        return complete(asset, message, ctx);
      case "abort":
        return abort(asset, ctx);
      case "claim":
      case "lapsed":
      case "finished":
      case "progress":
        return asset.phase === "processing" ? probe(asset, message, ctx) : decision(asset);
      case "due":
        return expire(asset, ctx);
    }
  },
  dueAt(asset) {
    switch (asset.phase) {
      case "pending_upload":
        return asset.upload.expiresAtMs;
      case "abandoned":
      case "failed":
        return asset.untilMs;
      case "trashed":
        return asset.trashedAtMs + limits.assets.trashMs;
      case "processing":
        return (asset.upload?.expiresAtMs ?? asset.createdAtMs) + limits.assets.processingMs;
      case "ready":
        return undefined;
    }
  },
  resume: (asset, ctx) => (asset.phase === "processing" ? [readBytes(asset, ctx)] : []),
};

function refuse(head: Asset | undefined, refusal: Refusal, ctx: AssetContext): AssetDecision {
  return decision(head, { replies: answer(ctx, createRefused(refusal)) });
}

/** Changes the asset and answers the request. */
function answerDone(
  before: Asset,
  next: Asset | undefined,
  ctx: AssetContext,
  effects: readonly (Tell | AssetEffect)[] = [],
): AssetDecision {
  const counted = recount(before, before, next);
  return decision(next, { replies: answer(ctx, done), effects: [...counted, ...effects] });
}

function recount({ scope }: Asset, before: Asset | undefined, after: Asset | undefined): Tell[] {
  const status = (asset: Asset | undefined): AssetStatus | undefined => asset && getStatus(asset);
  const modality = (asset: Asset | undefined) => asset && getModality(getMimeType(asset));
  const changes: Tell[] = [];
  const to = accountKey(scope);
  if (status(before) === status(after) && modality(before) === modality(after)) return changes;
  if (before !== undefined && status(before) !== undefined)
    changes.push(
      tell(to, countAsset(modality(before), status(before), undefined, -getStoredBytes(before))),
    );
  if (after !== undefined && status(after) !== undefined)
    changes.push(
      tell(to, countAsset(modality(after), undefined, status(after), getStoredBytes(after))),
    );
  return changes;
}

function countAsset(
  modality: ReturnType<typeof getModality>,
  from: AssetStatus | undefined,
  to: AssetStatus | undefined,
  bytes: number,
) {
  return { kind: "asset_changed", modality, from, to, bytes } as const;
}

/** Creates an asset. A generated asset is not counted here, since its job counted it already. */
function create(asset: Asset | undefined, created: Asset, ctx: AssetContext): AssetDecision {
  if (asset !== undefined) return decision(asset);
  const replies = answer(ctx, done);
  const isGenerated = "job" in created.origin;
  const effects = isGenerated ? [] : recount(created, undefined, created);
  if (created.phase !== "processing") return decision(created, { replies, effects });
  return decision(created, { replies, effects: [...effects, readBytes(created, ctx)] });
}

/** Has a farm node find out what the stored bytes are. */
function readBytes({ id, scope, bytes }: ProcessingAsset, rows: Rows): AssetEffect {
  const { objectKey, mimeType } = bytes;
  // A colour table (`.cube`) is plain text and can only be identified by its name.
  const declared = mimeType === "application/octet-stream" ? { declaredType: mimeType } : {};
  const task: FarmTask = {
    kind: "probe",
    input: { source: { objectKey, mimeType }, ...declared },
    outputPrefix: `assets/${scope}/${id}`,
  };
  return runFarmTask(scope, task, rows);
}

function applyPatch(asset: Asset, { displayName, tags, favorite }: AssetPatch): Asset {
  const { favorite: before, ...rest } = asset;
  const isFavorite = favorite ?? before ?? false;
  return {
    ...rest,
    ...omitUndefined({ displayName, tags }),
    ...(isFavorite ? { favorite: true } : {}),
  };
}

function trash(asset: Asset, ctx: AssetContext): AssetDecision {
  if (asset.phase === "trashed") return answerDone(asset, asset, ctx);
  if (asset.phase !== "ready") return remove(asset, ctx);
  const { upload: _, ...kept } = asset;
  const next: Asset = { ...kept, phase: "trashed", trashedAtMs: ctx.atMs };
  return { ...answerDone(asset, next, ctx), rows: withoutParts(asset, ctx) };
}

function restore(asset: Asset, ctx: AssetContext): AssetDecision {
  if (asset.phase !== "trashed")
    return refuse(asset, { code: "conflict", detail: "This asset is not in the trash." }, ctx);
  const { trashedAtMs: _, ...kept } = asset;
  return answerDone(asset, { ...kept, phase: "ready" }, ctx);
}

function remove(asset: Asset, ctx: AssetContext): AssetDecision {
  const keys = listObjects(asset);
  const effects: (Tell | AssetEffect)[] = [];
  if (asset.phase === "processing") effects.push({ kind: "farm.cancel" });
  if (keys.length > 0) effects.push(tell(removalKey(ctx.self, "media"), { kind: "remove", keys }));
  return { ...answerDone(asset, undefined, ctx, effects), rows: withoutParts(asset, ctx) };
}

/** Drops the rows of an upload's parts once the upload is over. */
function withoutParts(asset: Asset, ctx: AssetContext): RowWrite[] {
  const upload = "upload" in asset ? asset.upload : undefined;
  return Array.from({ length: upload?.partCount ?? 0 }, (_, at) => uploadPartKey(ctx.self, at + 1))
    .filter((key) => ctx.get(key) !== undefined)
    .map((key) => ({ key, value: undefined }));
}

function listObjects(asset: Asset): string[] {
  if ("media" in asset) {
    const { objectKey, thumbnailKey } = asset.media;
    if (isShared(objectKey)) return [];
    return thumbnailKey === undefined ? [objectKey] : [objectKey, thumbnailKey];
  }
  return "bytes" in asset
    ? [asset.bytes.objectKey]
    : listPartKeys(asset.scope, asset.id, asset.upload);
}

/** Object key of an uploaded part. */
export function partObjectKey(scope: string, asset: string, number: number): string {
  return `uploads/${scope}/${asset}/${number}`;
}

function listPartKeys(
  scope: string,
  asset: string,
  { partCount }: PendingAsset["upload"],
): string[] {
  return Array.from({ length: partCount }, (_, at) => partObjectKey(scope, asset, at + 1));
}

function storePart(
  asset: Asset,
  { number, part }: Extract<AssetMessage, { kind: "store_part" }>,
  ctx: AssetContext,
): AssetDecision {
  if (asset.phase !== "pending_upload") return refuse(asset, { code: "not_found" }, ctx);
  const replies = answer(ctx, done);
  const rows = [put(uploadPartKey(ctx.self, number), part)];
  return decision(asset, { rows, replies });
}

/** Completes an upload. The parts have become one object, so they are removed. */
function complete(
  asset: Asset,
  { bytes, refusal }: Extract<AssetMessage, { kind: "complete" }>,
  ctx: AssetContext,
): AssetDecision {
  if (asset.phase !== "pending_upload")
    return refuse(
      asset,
      { code: "conflict", detail: "This upload has already been completed." },
      ctx,
    );
  const parts = removeParts(asset, ctx);
  const processing: ProcessingAsset = { ...asset, phase: "processing", bytes, attempts: 0 };
  if (refusal !== undefined)
    return answerDone(asset, failAsset(processing, refusal, ctx), ctx, [parts]);
  return answerDone(asset, processing, ctx, [parts, readBytes(processing, ctx)]);
}

function removeParts({ scope, id, upload }: PendingAsset, { self }: AssetContext): Tell {
  return tell(removalKey(self, "parts"), { kind: "remove", keys: listPartKeys(scope, id, upload) });
}

function abort(asset: Asset, ctx: AssetContext): AssetDecision {
  if (asset.phase !== "pending_upload") return refuse(asset, { code: "not_found" }, ctx);
  return abandon(asset, "aborted", ctx);
}

function abandon(asset: PendingAsset, as: "aborted" | "expired", ctx: AssetContext): AssetDecision {
  const untilMs = ctx.atMs + limits.assets.abandonedMs;
  const next: Asset = { ...asset, phase: "abandoned", as, untilMs };
  return answerDone(asset, next, ctx, [removeParts(asset, ctx)]);
}

function expire(asset: Asset, ctx: AssetContext): AssetDecision {
  const dueMs = assetActor.dueAt(asset);
  if (dueMs === undefined || ctx.atMs < dueMs) return decision(asset);
  if (asset.phase === "pending_upload") return abandon(asset, "expired", ctx);
  if (asset.phase !== "processing") return remove(asset, ctx);
  const late = failAsset(asset, "The file could not be read in time.", ctx);
  return answerDone(asset, late, ctx, [{ kind: "farm.cancel" }]);
}

function probe(
  asset: ProcessingAsset,
  message: Extract<AssetMessage, { kind: "claim" | "lapsed" | "finished" | "progress" }>,
  ctx: AssetContext,
): AssetDecision {
  switch (message.kind) {
    case "claim": {
      const { token } = message;
      const next: Asset = { ...asset, token };
      const lease: AssetEffect = { kind: "farm.lease", token };
      return decision(next, { effects: [lease] });
    }
    case "progress":
      return decision(asset);
    case "lapsed": {
      if (asset.token !== message.token) return decision(asset);
      const { token: _, ...open } = asset;
      const attempts = asset.attempts + (message.isReturned === true ? 0 : 1);
      if (attempts < limits.farm.attemptsMax) return decision({ ...open, attempts });
      return answerDone(asset, failAsset(asset, "The file could not be read.", ctx), ctx, [
        { kind: "farm.cancel" },
      ]);
    }
    case "finished":
      if (asset.token !== message.token) return decision(asset);
      return answerDone(asset, applyProbe(asset, message.outcome, ctx), ctx);
  }
}

function applyProbe(asset: ProcessingAsset, outcome: Outcome, ctx: AssetContext): Asset {
  if (outcome.kind === "failed") return failAsset(asset, outcome.message, ctx);
  const [output] = outcome.outputs;
  if (output === undefined) return failAsset(asset, "The file contains no media.", ctx);
  const { bytes, token: _, attempts: __, ...kept } = asset;
  return {
    ...kept,
    phase: "ready",
    media: { ...output.media, ...bytes, ...getType(output.media) },
  };
}

/** The type that the probe found replaces the declared one, since the probe decoded the file. */
function getType({ mimeType }: { readonly mimeType: string }) {
  return { mimeType };
}

function failAsset(asset: ProcessingAsset, reason: string, { atMs }: AssetContext): Asset {
  const { token: _, attempts: __, ...kept } = asset;
  return { ...kept, phase: "failed", reason, untilMs: atMs + limits.assets.abandonedMs };
}
