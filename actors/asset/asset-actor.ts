/**
 * How an asset moves.
 *
 *   pending_upload --complete--> processing --probe--> ready <--restore-- trashed --30 days--> gone
 *      |                             |                    \---trash-------^
 *      +--abort, 24 h--> abandoned   +--probe refuses--> failed --24 h--> gone
 *
 * 1. What a generation made is ready at once; what came from outside is looked into by the farm.
 * 2. The account counts every change of status in the same turn.
 * 3. Bytes are removed after the turn that gives them up is durable; see `removal.ts`.
 */

import { limits } from "../../config/limits.ts";
import {
  type Actor,
  answer,
  put,
  type RowWrite,
  type Tell,
  type Turn,
  type TurnView,
  tell,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { accountKey } from "../account/account-messages.ts";
import type { AssetStatus } from "../contract/asset.ts";
import type { FarmTask } from "../job/farm-task.ts";
import type { Outcome } from "../job/job.ts";
import { type Refusal, refused } from "../refusal.ts";
import { done } from "../reply.ts";
import {
  type Asset,
  type AssetEffect,
  type AssetMessage,
  type AssetPatch,
  mimeTypeOf,
  modalityOf,
  type PendingAsset,
  type ProcessingAsset,
  statusOf,
  storedBy,
  uploadPartKey,
} from "./asset.ts";
import { isShared } from "./media.ts";
import { removalKey } from "./removal.ts";

type AssetTurn = Turn<Asset, AssetEffect>;
type AssetContext = TurnView<ReplyTo<AssetMessage>>;

export const assetActor: Actor<Asset, AssetMessage, AssetEffect> = {
  kind: "asset",
  decide(asset, message, turn) {
    if (message.kind === "create") return create(asset, message.asset, turn);
    if (asset === undefined) return refuse(undefined, { code: "not_found" }, turn);
    switch (message.kind) {
      case "patch":
        return answered(asset, patched(asset, message.patch), turn);
      case "trash":
        return trash(asset, turn);
      case "restore":
        return restore(asset, turn);
      case "remove":
        return remove(asset, turn);
      case "store_part":
        return storePart(asset, message, turn);
      case "complete":
        return complete(asset, message, turn);
      case "abort":
        return abort(asset, turn);
      case "claim":
      case "lapsed":
      case "finished":
      case "progress":
        return asset.phase === "processing" ? probe(asset, message, turn) : unchanged(asset);
      case "due":
        return expire(asset, turn);
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
  resume: (asset) => (asset.phase === "processing" ? [probeOf(asset)] : []),
};

function unchanged(asset: Asset): AssetTurn {
  return { head: asset, rows: [], replies: [], effects: [] };
}

function refuse(head: Asset | undefined, refusal: Refusal, turn: AssetContext): AssetTurn {
  return { head, rows: [], replies: answer(turn, refused(refusal)), effects: [] };
}

/** The one way in which an asset changes; whoever asked is told that it is done. */
function answered(
  before: Asset,
  next: Asset | undefined,
  turn: AssetContext,
  effects: readonly (Tell | AssetEffect)[] = [],
): AssetTurn {
  const counted = recount(before, before, next);
  return { head: next, rows: [], replies: answer(turn, done), effects: [...counted, ...effects] };
}

function recount({ scope }: Asset, before: Asset | undefined, after: Asset | undefined): Tell[] {
  const status = (asset: Asset | undefined): AssetStatus | undefined => asset && statusOf(asset);
  const modality = (asset: Asset | undefined) => asset && modalityOf(mimeTypeOf(asset));
  const changes: Tell[] = [];
  const to = accountKey(scope);
  if (status(before) === status(after) && modality(before) === modality(after)) return changes;
  if (before !== undefined && status(before) !== undefined)
    changes.push(tell(to, counted(modality(before), status(before), undefined, -storedBy(before))));
  if (after !== undefined && status(after) !== undefined)
    changes.push(tell(to, counted(modality(after), undefined, status(after), storedBy(after))));
  return changes;
}

function counted(
  modality: ReturnType<typeof modalityOf>,
  from: AssetStatus | undefined,
  to: AssetStatus | undefined,
  bytes: number,
) {
  return { kind: "asset_changed", modality, from, to, bytes } as const;
}

/** A generated asset was counted with its job. */
function create(asset: Asset | undefined, created: Asset, turn: AssetContext): AssetTurn {
  if (asset !== undefined) return unchanged(asset);
  const replies = answer(turn, done);
  const isGenerated = "job" in created.origin;
  const effects = isGenerated ? [] : recount(created, undefined, created);
  if (created.phase !== "processing") return { head: created, rows: [], replies, effects };
  return { head: created, rows: [], replies, effects: [...effects, probeOf(created)] };
}

function probeOf({ id, scope, bytes }: ProcessingAsset): AssetEffect {
  const { objectKey, mimeType } = bytes;
  // A table of colours is text: only its name told what it is.
  const declared = mimeType === "application/octet-stream" ? { declaredType: mimeType } : {};
  const task: FarmTask = {
    kind: "probe",
    input: { source: { objectKey, mimeType }, ...declared },
    outputPrefix: `assets/${scope}/${id}`,
  };
  return { kind: "farm.run", scope, task };
}

function patched(asset: Asset, { displayName, tags, favorite }: AssetPatch): Asset {
  const { favorite: before, ...rest } = asset;
  const isFavorite = favorite ?? before ?? false;
  return {
    ...rest,
    ...(displayName === undefined ? {} : { displayName }),
    ...(tags === undefined ? {} : { tags }),
    ...(isFavorite ? { favorite: true } : {}),
  };
}

function trash(asset: Asset, turn: AssetContext): AssetTurn {
  if (asset.phase === "trashed") return answered(asset, asset, turn);
  if (asset.phase !== "ready") return remove(asset, turn);
  const { upload: _, ...kept } = asset;
  const next: Asset = { ...kept, phase: "trashed", trashedAtMs: turn.atMs };
  return { ...answered(asset, next, turn), rows: withoutParts(asset, turn) };
}

function restore(asset: Asset, turn: AssetContext): AssetTurn {
  if (asset.phase !== "trashed")
    return refuse(asset, { code: "conflict", detail: "This asset is not in the trash." }, turn);
  const { trashedAtMs: _, ...kept } = asset;
  return answered(asset, { ...kept, phase: "ready" }, turn);
}

function remove(asset: Asset, turn: AssetContext): AssetTurn {
  const keys = objectsOf(asset);
  const effects: (Tell | AssetEffect)[] = [];
  if (asset.phase === "processing") effects.push({ kind: "farm.cancel" });
  if (keys.length > 0) effects.push(tell(removalKey(turn.self, "media"), { kind: "remove", keys }));
  return { ...answered(asset, undefined, turn, effects), rows: withoutParts(asset, turn) };
}

/** What is known of an upload's parts goes when nobody can ask for the upload any more. */
function withoutParts(asset: Asset, turn: AssetContext): RowWrite[] {
  const upload = "upload" in asset ? asset.upload : undefined;
  return Array.from({ length: upload?.partCount ?? 0 }, (_, at) => uploadPartKey(turn.self, at + 1))
    .filter((key) => turn.get(key) !== undefined)
    .map((key) => ({ key, value: undefined }));
}

function objectsOf(asset: Asset): string[] {
  if ("media" in asset) {
    const { objectKey, thumbnailKey } = asset.media;
    if (isShared(objectKey)) return [];
    return thumbnailKey === undefined ? [objectKey] : [objectKey, thumbnailKey];
  }
  return "bytes" in asset
    ? [asset.bytes.objectKey]
    : partKeysOf(asset.scope, asset.id, asset.upload);
}

/** Where the parts of an upload are stored. */
export function partObjectKey(scope: string, asset: string, number: number): string {
  return `uploads/${scope}/${asset}/${number}`;
}

function partKeysOf(scope: string, asset: string, { partCount }: PendingAsset["upload"]): string[] {
  return Array.from({ length: partCount }, (_, at) => partObjectKey(scope, asset, at + 1));
}

function storePart(
  asset: Asset,
  { number, part }: Extract<AssetMessage, { kind: "store_part" }>,
  turn: AssetContext,
): AssetTurn {
  if (asset.phase !== "pending_upload") return refuse(asset, { code: "not_found" }, turn);
  const replies = answer(turn, done);
  const rows = [put(uploadPartKey(turn.self, number), part)];
  return { head: asset, rows, replies, effects: [] };
}

/** The parts are one object now, so they go. */
function complete(
  asset: Asset,
  { bytes, refusal }: Extract<AssetMessage, { kind: "complete" }>,
  turn: AssetContext,
): AssetTurn {
  if (asset.phase !== "pending_upload")
    return refuse(asset, { code: "conflict", detail: "This upload was completed already." }, turn);
  const parts = withdrawnParts(asset, turn);
  const processing: ProcessingAsset = { ...asset, phase: "processing", bytes, attempts: 0 };
  if (refusal !== undefined)
    return answered(asset, failed(processing, refusal, turn), turn, [parts]);
  return answered(asset, processing, turn, [parts, probeOf(processing)]);
}

function withdrawnParts({ scope, id, upload }: PendingAsset, { self }: AssetContext): Tell {
  return tell(removalKey(self, "parts"), { kind: "remove", keys: partKeysOf(scope, id, upload) });
}

function abort(asset: Asset, turn: AssetContext): AssetTurn {
  if (asset.phase !== "pending_upload") return refuse(asset, { code: "not_found" }, turn);
  return abandon(asset, "aborted", turn);
}

function abandon(asset: PendingAsset, as: "aborted" | "expired", turn: AssetContext): AssetTurn {
  const untilMs = turn.atMs + limits.assets.abandonedMs;
  const next: Asset = { ...asset, phase: "abandoned", as, untilMs };
  return answered(asset, next, turn, [withdrawnParts(asset, turn)]);
}

function expire(asset: Asset, turn: AssetContext): AssetTurn {
  const dueMs = assetActor.dueAt(asset);
  if (dueMs === undefined || turn.atMs < dueMs) return unchanged(asset);
  if (asset.phase === "pending_upload") return abandon(asset, "expired", turn);
  if (asset.phase !== "processing") return remove(asset, turn);
  const late = failed(asset, "The file could not be read in time.", turn);
  return answered(asset, late, turn, [{ kind: "farm.cancel" }]);
}

function probe(
  asset: ProcessingAsset,
  message: Extract<AssetMessage, { kind: "claim" | "lapsed" | "finished" | "progress" }>,
  turn: AssetContext,
): AssetTurn {
  switch (message.kind) {
    case "claim": {
      const { token } = message;
      const next: Asset = { ...asset, token };
      return { head: next, rows: [], replies: [], effects: [{ kind: "farm.lease", token }] };
    }
    case "progress":
      return unchanged(asset);
    case "lapsed": {
      if (asset.token !== message.token) return unchanged(asset);
      const { token: _, ...open } = asset;
      const attempts = asset.attempts + 1;
      if (attempts < limits.farm.attemptsMax) return unchanged({ ...open, attempts });
      return answered(asset, failed(asset, "The file could not be read.", turn), turn, [
        { kind: "farm.cancel" },
      ]);
    }
    case "finished":
      if (asset.token !== message.token) return unchanged(asset);
      return answered(asset, probed(asset, message.outcome, turn), turn);
  }
}

function probed(asset: ProcessingAsset, outcome: Outcome, turn: AssetContext): Asset {
  if (outcome.kind === "failed") return failed(asset, outcome.message, turn);
  const [output] = outcome.outputs;
  if (output === undefined) return failed(asset, "The file holds no media.", turn);
  const { bytes, token: _, attempts: __, ...kept } = asset;
  return { ...kept, phase: "ready", media: { ...output.media, ...bytes, ...typeOf(output.media) } };
}

/** The probe looked inside: its word on the type is the better one. */
function typeOf({ mimeType }: { readonly mimeType: string }) {
  return { mimeType };
}

function failed(asset: ProcessingAsset, reason: string, { atMs }: AssetContext): Asset {
  const { token: _, attempts: __, ...kept } = asset;
  return { ...kept, phase: "failed", reason, untilMs: atMs + limits.assets.abandonedMs };
}
