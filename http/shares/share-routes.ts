/** Routes of share links of renders and assets: creating, listing and revoking them. */

import { assetKey } from "../../actors/protocol/asset.ts";
import {
  isExpired,
  type ShareLink,
  shareLinkKey,
  shareOfTokenKey,
  sharesKey,
} from "../../actors/protocol/share.ts";
import { shareLinkView } from "../../actors/share/share-view.ts";
import { omitUndefined } from "../../config/defined.ts";
import {
  CreateShareRequest,
  type ShareLinkKind,
  ShareLink as ShareLinkSchema,
  ShareList,
} from "../../contract/share.ts";
import { type Id, partitionOfId } from "../../engine/id.ts";
import { parseOwnId } from "../auth/own-id.ts";
import { requirePermission } from "../auth/permissions.ts";
import { type Answer, json, noContent } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import {
  findTarget,
  getReadyAsset,
  getTitle,
  mayShare,
  type ShareTarget,
} from "./share-targets.ts";
import { isToken, mintToken, tokenPlace, tokenPrefix } from "./share-token.ts";

const dayMs = 86_400_000;

export const shareRoutes: readonly Route[] = [
  ...createRoutes("render", "/v1/renders/{id}/share", "a render"),
  ...createRoutes("asset", "/v1/assets/{id}/share", "an asset"),
];

function createRoutes(kind: ShareLinkKind, path: string, what: string): readonly Route[] {
  const common = { access: "shares", needs: "share_own" } as const;
  return [
    route("POST", path, {
      ...common,
      summary: `Make a share link of ${what}`,
      answers: { 201: ShareLinkSchema },
      rate: "write",
      body: jsonBody<CreateShareRequest>(CreateShareRequest),
      run: (call) => createShare(call, kind),
    }),
    route("GET", path, {
      ...common,
      summary: `List the active share links of ${what}, newest first`,
      answers: { 200: ShareList },
      rate: "read",
      run: (call) => listShares(call, kind),
    }),
    route("DELETE", `${path}/{token}`, {
      ...common,
      summary: `Revoke a share link of ${what}, by its token or its id`,
      answers: { 204: null },
      rate: "write",
      run: (call) => revokeShare(call, kind),
    }),
  ];
}

/** Throws `RefusalError`: 404, or 403 for another member's target that the role may not share. */
function findOwn(call: Call<unknown, unknown>, kind: ShareLinkKind): ShareTarget {
  const target = findTarget(call, kind);
  if (!mayShare(call, target)) requirePermission(call.principal, "share_any");
  return target;
}

async function createShare(call: Call<CreateShareRequest>, kind: ShareLinkKind): Promise<Answer> {
  const { service, principal, body } = call;
  const target = findOwn(call, kind);
  const asset = getReadyAsset(call, target);
  const { password: given, expires_in_days: days, name, view_only: viewOnly } = body;
  const password = given === undefined ? undefined : await service.shares.passwords.protect(given);
  const partition = partitionOfId(principal.scope);
  const token = mintToken(service.entropy, partition);
  const createdAtMs = service.clock.nowMs();
  const link: ShareLink = {
    id: service.ids.under(partition),
    kind,
    target: target.id,
    asset: asset.id,
    scope: principal.scope,
    user: principal.user.id,
    tokenPrefix: tokenPrefix(token),
    createdAtMs,
    accessCount: 0,
    ...omitUndefined({
      name: name === "" ? undefined : name,
      password,
      viewOnly: viewOnly === true ? viewOnly : undefined,
      expiresAtMs: days === undefined ? undefined : createdAtMs + days * dayMs,
    }),
  };
  const { digest } = tokenPlace(token);
  const create = { kind: "create", link, digest } as const;
  expectReply(await service.gateway.ask(sharesKey(target.id), create, "work"), "done");
  const view = shareLinkView(link, getTitle(service, link, asset), createdAtMs);
  return json(201, { ...view, token, url: `${service.shares.linksUrl}/${token}` });
}

function listShares(call: Call, kind: ShareLinkKind): Answer {
  const { service, principal } = call;
  const { gateway } = service;
  const target = findOwn(call, kind);
  const nowMs = service.clock.nowMs();
  const ids = gateway.read(sharesKey(target.id))?.links ?? [];
  const items = ids.toReversed().flatMap((id) => {
    const link = gateway.read(shareLinkKey(id));
    if (link === undefined || isExpired(link, nowMs)) return [];
    const asset = gateway.read(assetKey(principal.scope, link.asset));
    return [shareLinkView(link, getTitle(service, link, asset), nowMs)];
  });
  return json(200, { items });
}

async function revokeShare(call: Call, kind: ShareLinkKind): Promise<Answer> {
  const { service, principal, ids } = call;
  const { gateway } = service;
  const target = findTarget(call, kind);
  const id = findLinkId(call, ids[1] ?? "");
  const link = id === undefined ? undefined : gateway.read(shareLinkKey(id));
  const isMaker = link?.target === target.id && link.user === principal.user.id;
  if (!isMaker && !mayShare(call, target)) requirePermission(principal, "share_any");
  const { id: own } = requireFound(link?.target === target.id ? link : undefined);
  const revoke = { kind: "revoke", link: own } as const;
  expectReply(await gateway.ask(sharesKey(target.id), revoke, "settle"), "done");
  return noContent();
}

/** Finds a link's id from its token, or takes the id itself. */
function findLinkId({ service, principal }: Call, named: string): Id | undefined {
  const id = parseOwnId(principal, named);
  if (id !== undefined || !isToken(named)) return id;
  const { partition, digest } = tokenPlace(named);
  if (partition !== partitionOfId(principal.scope)) return undefined;
  return service.gateway.read(shareOfTokenKey(partition, digest));
}
