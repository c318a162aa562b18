/**
 * An asset: stored media of a scope, or an upload that will become media. Its behaviour is in
 * `asset-actor.ts`. The prompt and model of a generated asset are kept with its job.
 */

import type { Modality } from "../../config/modalities.ts";
import type { AssetStatus, Asset as AssetView } from "../../contract/asset.ts";
import type { Due } from "../../engine/actor.ts";
import { type Address, createAddress, type Question } from "../../engine/address.ts";
import { type Id, idBytes, keyOfId } from "../../engine/id.ts";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import type { Refused } from "../refusal.ts";
import type { Done } from "../reply.ts";
import { codes } from "../table-codes.ts";
import type { RunFarmTask } from "./farm-task.ts";
import type { Outcome } from "./job.ts";
import { countBytes, type Media, type StoredBytes } from "./media.ts";

export type Origin =
  | { readonly job: Id }
  | { readonly filename: string; readonly user: Id }
  /** From a design. */
  | { readonly filename: string; readonly user: Id; readonly isImported: true }
  | { readonly render: Id; readonly user: Id };

interface Common {
  readonly id: Id;
  readonly scope: Id;
  readonly createdAtMs: number;
  readonly origin: Origin;
  /** Name given by the owner; undefined while the asset still has its original name. */
  readonly displayName?: string;
  readonly tags?: readonly string[];
  readonly favorite?: true;
}

/** What a client declared about the bytes that it will send. */
export interface UploadPlan {
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256?: string;
  readonly method: "single" | "multipart";
  readonly partCount: number;
  readonly expiresAtMs: number;
}

export interface UploadPart {
  readonly etag: string;
  readonly sizeBytes: number;
}

export interface PendingAsset extends Common {
  readonly phase: "pending_upload";
  readonly upload: UploadPlan;
}

/** An aborted or expired upload, kept for a while so that the client can read its outcome. */
export interface AbandonedUpload extends Common {
  readonly phase: "abandoned";
  readonly upload: UploadPlan;
  readonly as: "aborted" | "expired";
  readonly untilMs: number;
}

export interface ProcessingAsset extends Common {
  readonly phase: "processing";
  readonly upload?: UploadPlan;
  readonly bytes: StoredBytes;
  /** Token of the farm's lease. */
  readonly token?: string;
  readonly attempts: number;
}

export interface ReadyAsset extends Common {
  readonly phase: "ready";
  readonly upload?: UploadPlan;
  readonly media: Media;
}

export interface FailedAsset extends Common {
  readonly phase: "failed";
  readonly upload?: UploadPlan;
  readonly bytes: StoredBytes;
  readonly reason: string;
  /** When the failed asset is deleted; its bytes are removed then too. */
  readonly untilMs: number;
}

export interface TrashedAsset extends Common {
  readonly phase: "trashed";
  readonly media: Media;
  readonly trashedAtMs: number;
}

export type Asset =
  | PendingAsset
  | AbandonedUpload
  | ProcessingAsset
  | ReadyAsset
  | FailedAsset
  | TrashedAsset;

export interface AssetPatch {
  readonly displayName?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly favorite?: boolean | undefined;
}

/** Commands to an asset. */
export type AssetCommand = Question<Done | Refused> &
  (
    | { readonly kind: "create"; readonly asset: ReadyAsset | PendingAsset | ProcessingAsset }
    | { readonly kind: "patch"; readonly patch: AssetPatch }
    | { readonly kind: "trash" }
    | { readonly kind: "restore" }
    | { readonly kind: "remove" }
    | { readonly kind: "store_part"; readonly number: number; readonly part: UploadPart }
    | {
        readonly kind: "complete";
        readonly bytes: StoredBytes;
        /** Why the bytes are refused after a first look at them; undefined if they are not. */
        readonly refusal: string | undefined;
      }
    | { readonly kind: "abort" }
  );

export type AssetMessage =
  | AssetCommand
  | { readonly kind: "claim"; readonly token: string }
  | {
      readonly kind: "lapsed";
      readonly token: string;
      readonly reason?: string;
      /** Set when the node handed the task back, so that no attempt counts. */
      readonly isReturned?: true;
    }
  | { readonly kind: "progress"; readonly token?: string; readonly progress: number }
  | { readonly kind: "finished"; readonly token?: string; readonly outcome: Outcome }
  | Due;

export type AssetEffect =
  | RunFarmTask
  | { readonly kind: "farm.lease"; readonly token: string }
  | { readonly kind: "farm.cancel" };

/** Returns the modality; fonts, LUTs and the like have none. */
export function getModality(mimeType: string): Modality | undefined {
  if (mimeType.startsWith("image/")) return "image";
  if (mimeType.startsWith("video/")) return "video";
  if (mimeType.startsWith("audio/")) return "audio";
  return mimeType.startsWith("model/") ? "three_d" : undefined;
}

export function getMimeType(asset: Asset): string {
  if ("media" in asset) return asset.media.mimeType;
  return "bytes" in asset ? asset.bytes.mimeType : asset.upload.mimeType;
}

/** Returns the status that clients see, or undefined once an upload is abandoned. */
export function getStatus({ phase }: Asset): AssetStatus | undefined {
  return phase === "abandoned" ? undefined : phase;
}

export function getSource({ origin }: Asset): AssetView["source"] {
  if ("job" in origin) return "generation";
  if ("isImported" in origin) return "import";
  return "render" in origin ? "render" : "upload";
}

/** Bytes that count as stored; an upload counts from its beginning, by its declared size. */
export function getStoredBytes(asset: Asset): number {
  if ("media" in asset) return countBytes(asset.media);
  if ("bytes" in asset) return asset.bytes.sizeBytes;
  return asset.phase === "pending_upload" ? asset.upload.sizeBytes : 0;
}

/** Assets are keyed under their scope, so that a scope's assets are one range, ordered by id. */
export function assetKey(scope: Id, asset: Id): Address<AssetMessage, Asset> {
  return createAddress(keyOfId<Asset>(codes.asset, scope) + idBytes(asset));
}

/** Key prefix of all assets of a scope. */
export function assetsKey(scope: Id): Key<Asset> {
  return keyOfId(codes.asset, scope);
}

/** Key of a stored part of an upload, by the part's number. */
export function uploadPartKey(asset: Key, number: number): Key<UploadPart> {
  const place = String.fromCharCode(number >> 8, number & 255);
  return createKey(getPartition(asset), codes.uploadPart, asset.slice(2) + place);
}
