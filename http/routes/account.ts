/** What an account may know of itself. */

import { type Account, available } from "../../actors/account/account.ts";
import { usedToday } from "../../actors/account/submit.ts";
import { Credits, User as UserView } from "../../actors/contract/account.ts";
import { timestamp } from "../../actors/contract/common.ts";
import { accountKey } from "../../actors/tables.ts";
import { plans } from "../../config/plans.ts";
import { type Answer, json } from "../answer.ts";
import { RefusalError } from "../refusal-error.ts";
import { type Call, type Route, route } from "../route.ts";

export const accountRoutes: readonly Route[] = [
  route("GET", "/v1/me", {
    summary: "The account and its current generation concurrency",
    answers: { 200: UserView },
    access: "bearer",
    rate: "read",
    run: me,
  }),
  route("GET", "/v1/me/credits", {
    summary: "What the paying context can still spend",
    answers: { 200: Credits },
    access: "billing:read",
    rate: "read",
    run: credits,
  }),
];

const dayMs = 86_400_000;

function me(call: Call): Answer {
  const { service, principal } = call;
  const { user, credential, plan } = principal;
  const account = accountOf(call);
  const nowMs = service.clock.nowMs();
  const perDay = plans[plan].generationsPerDay;
  const view: UserView = {
    id: user.id,
    email: user.email,
    display_name: user.displayName,
    plan,
    balance_credits: available(account),
    role: null,
    active_organization: null,
    generation_limits: {
      concurrent_max: plans[plan].concurrentMax,
      concurrent_active: account.active.media,
    },
    quota:
      perDay === undefined
        ? null
        : {
            limit: perDay,
            used: usedToday(account, nowMs),
            resets_at: timestamp((Math.floor(nowMs / dayMs) + 1) * dayMs),
          },
    token: {
      id: credential.id,
      name: credential.name,
      scopes: [...credential.scopes],
      expires_at: credential.expiresAtMs === null ? null : timestamp(credential.expiresAtMs),
    },
    created_at: timestamp(user.createdAtMs),
  };
  return json(200, view);
}

function credits(call: Call): Answer {
  const account = accountOf(call);
  const { plan } = call.principal;
  return json(200, {
    balance_credits: available(account),
    held_credits: account.held,
    plan,
    monthly_credits: plans[plan].monthlyCredits,
    renews_at: timestamp(account.renewsAtMs),
  });
}

function accountOf({ service, principal }: Call): Account {
  const account = service.gateway.read(accountKey(principal.scope));
  if (account === undefined) throw new RefusalError({ code: "not_found" });
  return account;
}
