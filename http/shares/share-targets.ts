/** Renders and assets as targets of share links: who may share them, and what links show. */
import { type Asset, assetKey, type ReadyAsset } from "../../actors/protocol/asset.ts";
import { compositionDetailsKey, compositionKey } from "../../actors/protocol/composition.ts";
import { renderKey } from "../../actors/protocol/render.ts";
import type { ShareLink } from "../../actors/protocol/share.ts";
import type { ShareLinkKind } from "../../contract/share.ts";
import type { Id } from "../../engine/id.ts";
import { findAsset } from "../assets/asset-routes.ts";
import { isPermitted } from "../auth/permissions.ts";
import { findRender } from "../compositions/renders.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";

type AnyCall = Call<unknown, unknown>;

export interface ShareTarget {
  readonly kind: ShareLinkKind;
  readonly id: Id;
  /** The user who created the target. */
  readonly user: Id;
  /** Asset of the target; undefined for a render that has none. */
  readonly asset: Id | undefined;
}

/** Throws `RefusalError` with 404 for a target that is unknown or another scope's. */
export function findTarget(call: AnyCall, kind: ShareLinkKind): ShareTarget {
  if (kind === "asset") {
    const asset = findAsset(call);
    const { user_id: user } = call.service.jobs.assetView(asset);
    return { kind, id: asset.id, user, asset: asset.id };
  }
  const render = findRender(call);
  const asset = render.phase === "succeeded" ? render.asset : undefined;
  return { kind, id: render.id, user: render.user, asset };
}

/** Whether the caller may share the target: its own, or any for owners and admins. */
export function mayShare({ principal }: AnyCall, { user }: Pick<ShareTarget, "user">): boolean {
  return user === principal.user.id || isPermitted(principal.role, "share_any");
}

/** The asset that a link to the target would show. Throws `RefusalError` with 409. */
export function getReadyAsset({ service, principal }: AnyCall, target: ShareTarget): ReadyAsset {
  const asset = target.asset && service.gateway.read(assetKey(principal.scope, target.asset));
  if (asset && asset.phase === "ready") return asset;
  const detail =
    target.asset === undefined
      ? "Only a render that has succeeded can be shared."
      : "Only an asset that is ready can be shared.";
  throw new RefusalError({ code: "conflict", detail });
}

/** Title of a link's page: the link's own name, else its composition's, else its asset's. */
export function getTitle(service: Service, link: ShareLink, asset: Asset | undefined): string {
  if (link.name !== undefined) return link.name;
  const composed = link.kind === "render" ? findCompositionName(service, link) : undefined;
  return composed ?? (asset && service.jobs.assetView(asset).display_name) ?? "";
}

function findCompositionName({ gateway }: Service, { scope, target }: ShareLink) {
  const render = gateway.read(renderKey(target));
  if (render === undefined) return undefined;
  return gateway.read(compositionDetailsKey(compositionKey(scope, render.composition)))?.name;
}
