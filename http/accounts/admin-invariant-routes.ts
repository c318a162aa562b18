/** Invariants of each account and organization, checked over all of their rows. */

import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { usersKey } from "../../actors/directory/directory.ts";
import { organizationsKey } from "../../actors/directory/organization.ts";
import { limits } from "../../config/limits.ts";
import type { Static } from "../../config/schema.ts";
import { InvariantPage } from "../../contract/admin.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, idAtEnd, partitionOfId } from "../../engine/id.ts";
import { getRange, type Key } from "../../engine/key.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { nextCursor, type PageQuery } from "../paging/pages.ts";
import { integer, optionalText } from "../request/query.ts";
import { anywhere, type Call, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { type AccountLook, lookAtAccount } from "./account-look.ts";

export const adminInvariantRoutes: readonly Route[] = [
  route("GET", "/v1/admin/invariants", {
    summary: "Check the credits and counts of all accounts, page by page",
    answers: { 200: InvariantPage },
    access: "admin",
    getPartition: anywhere,
    rate: "read",
    query: {
      limit: integer(1, limits.admin.listMax, limits.admin.listDefault),
      cursor: optionalText(512),
    },
    run: checkInvariants,
  }),
];

async function checkInvariants({ service, query }: Call<unknown, PageQuery>): Promise<Answer> {
  const { gateway, cursors, clock } = service;
  const shown = cursors.after(query.cursor, "invariants", clock.nowMs());
  const after = shown && Buffer.from(shown, "base64url").toString("latin1");
  const owners = await ownersAfter(gateway, after, query.limit + 1);
  const page: Static<typeof InvariantPage> = {
    items: [],
    accounts: 0,
    jobs: 0,
    moving: [],
    next_cursor: null,
  };
  for (const owner of owners.slice(0, query.limit)) {
    const account = idAtEnd(owner);
    const { findings, jobs, isMoving } = await lookAnywhere(service, account);
    page.accounts++;
    page.jobs += jobs;
    if (isMoving) page.moving.push(account);
    else for (const finding of findings) page.items.push({ account_id: account, ...finding });
    await turnOfTheLoop();
  }
  const last = owners.length > query.limit ? owners[query.limit - 1] : undefined;
  const place = last && Buffer.from(last, "latin1").toString("base64url");
  return json(200, { ...page, next_cursor: nextCursor(service, place, "invariants") });
}

export const auditPartPath = "/parts/audits/";

/** Checks at the node that owns the account. Throws `RefusalError` with 503 while there is none. */
async function lookAnywhere({ gateway, cluster }: Service, account: Id): Promise<AccountLook> {
  const shard = gateway.shardOfPartition(partitionOfId(account));
  if (cluster === undefined || gateway.owns(shard)) return lookAtAccount(gateway, account);
  return (await cluster.forwarder.askPart(shard, auditPartPath + account)) as AccountLook;
}

/** Returns users, then organizations, in the order of the keys of their rows. */
async function ownersAfter(
  gateway: Gateway,
  after: Key | undefined,
  count: number,
): Promise<readonly Key[]> {
  const read = await gateway.ranges(usersKey);
  const keys: Key[] = [];
  for (const { start, end } of [getRange(usersKey), getRange(organizationsKey)]) {
    const from = after !== undefined && after >= start ? `${after}\0` : start;
    if (from >= end || keys.length >= count) continue;
    keys.push(...read({ start: from, end }, count - keys.length).map(({ key }) => key));
  }
  return keys;
}
