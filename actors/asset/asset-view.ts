/** Builds the client's view of an asset from its rows; only this file writes its wire names. */

import { limits } from "../../config/limits.ts";
import { firstCharacters, toOneLine } from "../../config/one-line.ts";
import type { Asset as AssetView } from "../../contract/asset.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type Asset, getMimeType, getModality, getSource, getStatus } from "../protocol/asset.ts";
import type { JobRequest } from "../protocol/job.ts";
import type { Media } from "../protocol/media.ts";

export type Sign = (objectKey: string) => { readonly url: string; readonly expiresAtMs: number };

/** `request` is that of the asset's job, or undefined when the asset was not made by a job. */
export function assetView(asset: Asset, request: JobRequest | undefined, sign: Sign): AssetView {
  const { id, createdAtMs, origin } = asset;
  const media = asset.phase === "ready" || asset.phase === "trashed" ? asset.media : undefined;
  const link = asset.phase === "ready" ? sign(asset.media.objectKey) : undefined;
  const createdAt = timestamp(createdAtMs);
  const mimeType = getMimeType(asset);
  const modality = request?.modality ?? getModality(mimeType);
  const view: AssetView = {
    id,
    signed_url: link?.url ?? "",
    expires_at: link === undefined ? createdAt : timestamp(link.expiresAtMs),
    mime_type: mimeType,
    ...measures(media),
    thumbnail_url: getThumbnail(asset, sign),
    created_at: createdAt,
    display_name: nameAsset(asset, request),
    favorite: asset.favorite ?? false,
    model: request?.model ?? "",
    prompt: request?.prompt ?? "",
    size_bytes: getSize(asset),
    status: getStatus(asset) ?? "failed",
    tags: [...(asset.tags ?? request?.tags ?? [])],
    user_id: request?.user ?? ("user" in origin ? origin.user : asset.scope),
    source: getSource(asset),
    checksum_sha256: media?.sha256 ?? null,
  };
  if (modality !== undefined) view.modality = modality;
  if ("job" in origin) view.job_id = origin.job;
  if ("render" in origin) view.render_id = origin.render;
  if (request?.enhancedPrompt !== undefined && request.modality === "image")
    view.enhanced_prompt = request.enhancedPrompt;
  if (asset.phase === "trashed") view.trashed_at = timestamp(asset.trashedAtMs);
  if (asset.phase === "failed") view.failure_reason = asset.reason;
  return view;
}

function measures(media: Media | undefined) {
  return {
    width: media?.width ?? null,
    height: media?.height ?? null,
    duration_seconds: media?.durationSeconds ?? null,
    has_audio: media?.hasAudio ?? null,
    frame_rate: media?.frameRate ?? null,
  };
}

function getThumbnail(asset: Asset, sign: Sign): string | null {
  if (asset.phase !== "ready" || asset.media.thumbnailKey === undefined) return null;
  return sign(asset.media.thumbnailKey).url;
}

function getSize(asset: Asset): number {
  if ("media" in asset) return asset.media.sizeBytes;
  return "bytes" in asset ? asset.bytes.sizeBytes : asset.upload.sizeBytes;
}

/** The owner's name for the asset, else the start of its prompt, its file name, or its kind. */
export function nameAsset(asset: Asset, request: JobRequest | undefined): string {
  const given = asset.displayName ?? request?.displayName;
  if (given !== undefined) return given;
  const { origin, createdAtMs } = asset;
  const { displayNameMax: max } = limits.jobs;
  const prompt = toOneLine(request?.prompt ?? "");
  if (prompt !== "") return firstCharacters(prompt, max);
  const filename = toOneLine("filename" in origin ? origin.filename : "");
  if (filename !== "") return filename;
  const modality = request?.modality ?? getModality(getMimeType(asset));
  return `${modality ?? "file"} ${timestamp(createdAtMs)}`;
}
