/** Routes by which an account reads its own state, in the context in which it acts. */

import { countUsedToday } from "../../actors/account/submit.ts";
import { findCeiling } from "../../actors/account/unpaid-use.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import type { Activate } from "../../actors/directory/users.ts";
import { getMonthlyCredits } from "../../actors/protocol/account.ts";
import { getAllowance } from "../../config/plans.ts";
import { Credits, User as UserView } from "../../contract/account.ts";
import { Limits } from "../../contract/limits.ts";
import { ActiveOrganizationRequest } from "../../contract/organization.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { placeIn } from "../auth/contexts.ts";
import type { Principal } from "../auth/principal.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { anywhere, type Call, jsonBodyWithNulls, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { getLimits } from "./effective-limits.ts";
import { userOrganization } from "./organization-views.ts";
import { storageView } from "./storage.ts";
import { findCreatorRows, findWallet, visibleBalance } from "./wallet.ts";

export const accountRoutes: readonly Route[] = [
  route("GET", "/v1/me", {
    summary: "The account and its current generation concurrency",
    answers: { 200: UserView },
    access: "bearer",
    rate: "read",
    run: async ({ service, principal }) => json(200, await userView(service, principal)),
  }),
  route("PUT", "/v1/me/active-organization", {
    summary: "Choose the organization that unpinned tokens act in, or none",
    answers: { 200: UserView },
    access: "organizations",
    getPartition: anywhere,
    rate: "write",
    leavesContext: true,
    body: jsonBodyWithNulls<ActiveOrganizationRequest>(ActiveOrganizationRequest, [
      "organization_id",
    ]),
    run: activate,
  }),
  route("GET", "/v1/me/credits", {
    summary: "Read what the paying context can still spend",
    answers: { 200: Credits },
    access: "billing:read",
    rate: "read",
    run: credits,
  }),
  route("GET", "/v1/limits", {
    summary: "Read the limits that apply to the caller",
    answers: { 200: Limits },
    access: "bearer",
    rate: "read",
    run: ({ service, principal }) => json(200, getLimits(service, principal)),
  }),
];

const dayMs = 86_400_000;

async function userView(service: Service, principal: Principal): Promise<UserView> {
  const { user, credential, plan, overrides, organization, role } = principal;
  const nowMs = service.clock.nowMs();
  const wallet = await findWallet(service.gateway, principal.scope, user.id, nowMs);
  const account = requireFound(wallet.account);
  const { generationsPerDay } = getAllowance(plan, overrides);
  const rows = await findCreatorRows(service.gateway, account);
  const { max, active } = findCeiling(account, account, principal, "media", rows);
  return {
    id: user.id,
    email: user.email,
    display_name: user.displayName,
    plan,
    balance_credits: visibleBalance(wallet, role, nowMs),
    role: role ?? null,
    active_organization:
      organization === undefined || role === undefined
        ? null
        : userOrganization({ organization, role }, wallet, nowMs),
    generation_limits: {
      concurrent_max: max,
      concurrent_active: active,
    },
    quota:
      generationsPerDay === undefined
        ? null
        : {
            limit: generationsPerDay,
            used: countUsedToday(account, nowMs),
            resets_at: timestamp((Math.floor(nowMs / dayMs) + 1) * dayMs),
          },
    storage: storageView(account, principal, rows),
    token: {
      id: credential.id,
      name: credential.name,
      scopes: [...credential.scopes],
      expires_at: credential.expiresAtMs === null ? null : timestamp(credential.expiresAtMs),
    },
    created_at: timestamp(user.createdAtMs),
  };
}

async function activate(call: Call<ActiveOrganizationRequest>): Promise<Answer> {
  const { service, principal, request } = call;
  const { gateway, principals } = service;
  const { user, credential } = principal;
  if (credential.organization !== null)
    throw new RefusalError({
      code: "forbidden",
      detail: "This token is pinned to its organization.",
    });
  const organization = call.body.organization_id?.toLowerCase() ?? null;
  if (organization !== null) requireFound(placeIn(gateway, user.id, organization));
  const message: Activate = { kind: "activate", user: user.id, organization };
  expectReply(await gateway.ask(directoryKey, message, "work"), "activated");
  return json(200, await userView(service, principals.of(request.headers["authorization"])));
}

async function credits({ service, principal }: Call): Promise<Answer> {
  const { user, scope, role } = principal;
  const nowMs = service.clock.nowMs();
  const wallet = await findWallet(service.gateway, scope, user.id, nowMs);
  const account = requireFound(wallet.account);
  return json(200, {
    balance_credits: visibleBalance(wallet, role, nowMs),
    held_credits: account.held,
    plan: principal.plan,
    monthly_credits: getMonthlyCredits(account),
    renews_at: timestamp(account.renewsAtMs),
  });
}
