/**
 * Resolves a token to the media of its link. The checks come in the order of the specification:
 * rate, unknown, revoked, expired, media gone, password.
 */
import { type Asset, assetKey, type ReadyAsset } from "../../actors/protocol/asset.ts";
import {
  isExpired,
  type ShareLink,
  shareLinkKey,
  shareOfTokenKey,
  sharesKey,
} from "../../actors/protocol/share.ts";
import { shareResolution } from "../../actors/share/share-view.ts";
import { limits } from "../../config/limits.ts";
import type { ShareResolution } from "../../contract/share.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import { getTitle } from "./share-targets.ts";
import { isToken, tokenPlace } from "./share-token.ts";

type AnyCall = Call<unknown, unknown>;

export interface Shared {
  readonly link: ShareLink;
  readonly asset: ReadyAsset;
  /** Digest of the token. */
  readonly digest: string;
}

/** Counts one resolution of the link. Throws `RefusalError` with 429. */
export function countResolution({ service, request, id: token }: AnyCall): void {
  service.shares.rates.countResolution(request.address, tokenPlace(token).digest);
}

/** Finds the link, whether or not it is locked. Throws `RefusalError` with 404 or 410. */
export function findShared({ service, id: token }: AnyCall): Shared {
  const { gateway, clock } = service;
  if (!isToken(token)) throw new RefusalError({ code: "not_found" });
  const { partition, digest } = tokenPlace(token);
  const id = requireFound(gateway.read(shareOfTokenKey(partition, digest)));
  const link = requireFound(gateway.read(shareLinkKey(id)));
  if (link.revokedAtMs !== undefined) throw onGone("revoked");
  if (isExpired(link, clock.nowMs())) throw onGone("expired");
  const asset: Asset | undefined = gateway.read(assetKey(link.scope, link.asset));
  if (asset?.phase !== "ready") throw onGone("media_unavailable");
  return { link, asset, digest };
}

/**
 * Returns the media of a link that has no password, or whose password or cookie is given. Throws
 * `RefusalError`: 404, 410, 401, and 429 for too many wrong passwords or too many waiting checks.
 */
export async function unlockShared(call: AnyCall, given: string | undefined): Promise<Shared> {
  await requireUnlocked(call, findShared(call), given);
  // Looked up again, since the link may have been revoked during the check.
  return findShared(call);
}

async function requireUnlocked(
  { service, request }: AnyCall,
  { link, digest }: Shared,
  given: string | undefined,
): Promise<void> {
  const { shares, clock } = service;
  const { password } = link;
  if (password === undefined) return;
  if (given === undefined) {
    if (shares.cookies.unlocks(link, request.headers["cookie"], clock.nowMs())) return;
    throw new RefusalError({ code: "share_password_required", isWrong: false });
  }
  const isRight = await shares.rates.guard(request.address, digest, () =>
    shares.passwords.isRight(given, password),
  );
  if (!isRight) throw new RefusalError({ code: "share_password_required", isWrong: true });
}

export function resolve({ service }: AnyCall, { link, asset }: Shared): ShareResolution {
  const { jobs, shares, clock } = service;
  const { mediaUrlSeconds } = limits.shares;
  return shareResolution(
    link,
    asset,
    jobs.assetView(asset),
    getTitle(service, link, asset),
    (objectKey, disposition) => {
      const options = { seconds: mediaUrlSeconds, disposition };
      return shares.mediaUrls.sign(objectKey, clock.nowMs(), options).url;
    },
  );
}

/**
 * Stores the visit before the answer is sent. When the disk is full and the count cannot be stored,
 * the visitor sees the media all the same.
 */
export async function noteVisit({ service }: AnyCall, { link }: Shared): Promise<void> {
  const visit = { kind: "note_visit", link: link.id } as const;
  await service.gateway.ask(sharesKey(link.target), visit, "settle");
}

function onGone(reason: "revoked" | "expired" | "media_unavailable"): RefusalError {
  return new RefusalError({ code: "gone", reason });
}
