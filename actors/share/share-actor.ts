/**
 * The share links of one target.
 *
 *   active --revoke--> revoked
 *      \-----time----> expired
 *
 * 1. At most so many of a target are active at once; an expired one makes room for another.
 * 2. A link that ended stays, so that its token goes on to say why it opens nothing.
 * 3. Whether the target's media can be seen is asked when a link is resolved, not kept here: a
 *    restored asset needs no word to its links.
 */

import { limits } from "../../config/limits.ts";
import {
  type Actor,
  answer,
  type Context,
  type Decision,
  decision,
  put,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { getPartition } from "../../engine/key.ts";
import {
  type CreateShare,
  isExpired,
  type ShareMessage,
  type Shares,
  shareLinkKey,
  shareOfTokenKey,
  sharesKey,
} from "../protocol/share.ts";
import { createRefused } from "../refusal.ts";
import { done } from "../reply.ts";

type ShareContext = Context<ReplyTo<ShareMessage>>;

export const shareActor: Actor<Shares, ShareMessage, never> = {
  kind: "share",
  decide(shares, message, ctx) {
    switch (message.kind) {
      case "create":
        return create(shares, message, ctx);
      case "revoke":
        return revoke(shares, message.link, ctx);
      case "note_visit":
        return noteVisit(shares, message.link, ctx);
    }
  },
  dueAt: () => undefined,
};

function create(
  shares: Shares | undefined,
  { link, digest }: CreateShare,
  ctx: ShareContext,
): Decision<Shares, never> {
  const { activeMax } = limits.shares;
  const active = (shares?.links ?? []).filter((id) => {
    const known = ctx.get(shareLinkKey(id));
    return known !== undefined && !isExpired(known, ctx.atMs);
  });
  if (active.length >= activeMax) {
    const detail = `At most ${activeMax} links can be active at once; revoke one first.`;
    return decision(shares, { replies: answer(ctx, createRefused({ code: "conflict", detail })) });
  }
  return decision(
    { links: [...active, link.id] },
    {
      rows: [
        put(shareLinkKey(link.id), link),
        put(shareOfTokenKey(getPartition(ctx.self), digest), link.id),
      ],
      replies: answer(ctx, done),
    },
  );
}

function revoke(
  shares: Shares | undefined,
  id: string,
  ctx: ShareContext,
): Decision<Shares, never> {
  const link = ctx.get(shareLinkKey(id));
  if (link === undefined || sharesKey(link.target) !== ctx.self)
    return decision(shares, { replies: answer(ctx, createRefused({ code: "not_found" })) });
  if (link.revokedAtMs !== undefined) return decision(shares, { replies: answer(ctx, done) });
  return decision(
    { links: (shares?.links ?? []).filter((other) => other !== id) },
    {
      rows: [put(shareLinkKey(id), { ...link, revokedAtMs: ctx.atMs })],
      replies: answer(ctx, done),
    },
  );
}

function noteVisit(
  shares: Shares | undefined,
  id: string,
  ctx: ShareContext,
): Decision<Shares, never> {
  const link = ctx.get(shareLinkKey(id));
  const replies = answer(ctx, done);
  if (link === undefined) return decision(shares, { replies });
  const visited = { ...link, accessCount: link.accessCount + 1, lastAccessedAtMs: ctx.atMs };
  return decision(shares, { rows: [put(shareLinkKey(id), visited)], replies });
}
