/** Builds the client's view of a share link from its row; only this file writes its wire names. */
import { limits } from "../../config/limits.ts";
import type { Asset as AssetView } from "../../contract/asset.ts";
import type { ShareLink as ShareLinkView, ShareResolution } from "../../contract/share.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { ReadyAsset } from "../protocol/asset.ts";
import { isExpired, type ShareLink } from "../protocol/share.ts";

/** `name` is the title of the link's page. */
export function shareLinkView(link: ShareLink, name: string, nowMs: number): ShareLinkView {
  const { expiresAtMs, lastAccessedAtMs, revokedAtMs } = link;
  const view: ShareLinkView = {
    id: link.id,
    kind: link.kind,
    target_id: link.target,
    token_prefix: link.tokenPrefix,
    name,
    status: getStatus(link, nowMs),
    has_password: link.password !== undefined,
    view_only: link.viewOnly === true,
    created_at: timestamp(link.createdAtMs),
    created_by: link.user,
    access_count: link.accessCount,
  };
  if (expiresAtMs !== undefined) view.expires_at = timestamp(expiresAtMs);
  if (lastAccessedAtMs !== undefined) view.last_accessed_at = timestamp(lastAccessedAtMs);
  if (revokedAtMs !== undefined) view.revoked_at = timestamp(revokedAtMs);
  return view;
}

function getStatus(link: ShareLink, nowMs: number): ShareLinkView["status"] {
  if (link.revokedAtMs !== undefined) return "revoked";
  return isExpired(link, nowMs) ? "expired" : "active";
}

/** Signs links that are valid for a short while; the browser shows or saves the object by name. */
export type SignMedia = (
  objectKey: string,
  disposition?: { readonly kind: "inline" | "attachment"; readonly filename: string },
) => string;

/** `known` is the asset as its owner sees it; visitors of the link see less of it. */
export function shareResolution(
  link: ShareLink,
  asset: ReadyAsset,
  known: AssetView,
  name: string,
  sign: SignMedia,
): ShareResolution {
  const { objectKey, thumbnailKey } = asset.media;
  const filename = getFilename(known.display_name, objectKey);
  const resolution: ShareResolution = {
    kind: link.kind,
    name,
    mime_type: known.mime_type,
    width: known.width ?? null,
    height: known.height ?? null,
    duration_seconds: known.duration_seconds ?? null,
    has_audio: known.has_audio ?? null,
    size_bytes: known.size_bytes,
    created_at: known.created_at,
    view_only: link.viewOnly === true,
    expires_at: link.expiresAtMs === undefined ? null : timestamp(link.expiresAtMs),
    media_url: sign(objectKey, { kind: "inline", filename }),
    thumbnail_url: thumbnailKey === undefined ? null : sign(thumbnailKey),
  };
  if (link.viewOnly !== true)
    resolution.download_url = sign(objectKey, { kind: "attachment", filename });
  return resolution;
}

/** Makes a file name valid on any system from the display name, with the type's extension. */
function getFilename(displayName: string, objectKey: string): string {
  const extension = objectKey.slice(objectKey.lastIndexOf("."));
  const plain = displayName
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu, " ")
    .trim();
  const name = [...plain].slice(0, limits.shares.nameMax).join("");
  return name.toLowerCase().endsWith(extension) ? name : `${name || "file"}${extension}`;
}
