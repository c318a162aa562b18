/** Operator routes: accounts and organizations, their plans, status and credits, and the audit. */

import { accountAt } from "../../actors/account/renewal.ts";
import { auditKey } from "../../actors/directory/audit.ts";
import { type User, userKey, usersKey } from "../../actors/directory/directory.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import { type Organization, organizationKey } from "../../actors/directory/organization.ts";
import type { PatchOrganization } from "../../actors/directory/organizations.ts";
import type { IssueToken } from "../../actors/directory/tokens.ts";
import type { GiveCredits, PatchUser } from "../../actors/directory/users.ts";
import type { Account } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { limits } from "../../config/limits.ts";
import {
  AdminAccount,
  AdminAccountPage,
  AdminOrganization,
  AuditPage,
  CreditsGiven,
  CreditsRequest,
  PatchTermsRequest,
} from "../../contract/admin.ts";
import { CreatedToken, IssueTokenRequest } from "../../contract/token.ts";
import { type Id, parseId } from "../../engine/id.ts";
import { getRange } from "../../engine/key.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { nextCursor, type PageQuery } from "../paging/pages.ts";
import { expectReply } from "../problems/replies.ts";
import { integer, optionalText } from "../request/query.ts";
import { anywhere, type Call, jsonBody, jsonBodyWithNulls, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { auditNote } from "../sign-in/audit-note.ts";
import { scopesOfClients } from "../sign-in/new-account.ts";
import { drawToken, viewCreated } from "../sign-in/new-token.ts";
import { mergeOverrides } from "./terms.ts";
import { getBalance } from "./wallet.ts";

const access = "admin";
const pageParameters = {
  limit: integer(1, limits.admin.listMax, limits.admin.listDefault),
  cursor: optionalText(512),
};
const terms = jsonBodyWithNulls<PatchTermsRequest>(PatchTermsRequest, [
  "concurrent_max",
  "generations_per_day",
  "storage_bytes",
]);
const credits = jsonBody<CreditsRequest>(CreditsRequest);

export const adminAccountRoutes: readonly Route[] = [
  route("GET", "/v1/admin/accounts", {
    summary: "List all accounts, newest first",
    answers: { 200: AdminAccountPage },
    access,
    getPartition: anywhere,
    rate: "read",
    query: pageParameters,
    run: listAccounts,
  }),
  route("PATCH", "/v1/admin/accounts/{id}", {
    summary: "Change an account's plan, standing or limits",
    answers: { 200: AdminAccount },
    access,
    getPartition: anywhere,
    rate: "write",
    body: terms,
    run: patchAccount,
  }),
  route("POST", "/v1/admin/accounts/{id}/tokens", {
    summary: "Issue a token for an account",
    answers: { 201: CreatedToken },
    access,
    getPartition: anywhere,
    rate: "write",
    body: jsonBodyWithNulls<IssueTokenRequest>(IssueTokenRequest, ["expires_in_days"]),
    run: issueToken,
  }),
  route("POST", "/v1/admin/accounts/{id}/credits", {
    summary: "Grant an account credits, or take them back",
    answers: { 200: CreditsGiven },
    access,
    getPartition: anywhere,
    rate: "write",
    body: credits,
    run: (call) => giveCredits(call, "account", requireUser(call).id),
  }),
  route("PATCH", "/v1/admin/organizations/{id}", {
    summary: "Change an organization's plan, standing or limits",
    answers: { 200: AdminOrganization },
    access,
    getPartition: anywhere,
    rate: "write",
    body: terms,
    run: patchOrganization,
  }),
  route("POST", "/v1/admin/organizations/{id}/credits", {
    summary: "Grant an organization credits, or take them back",
    answers: { 200: CreditsGiven },
    access,
    getPartition: anywhere,
    rate: "write",
    body: credits,
    run: (call) => giveCredits(call, "organization", requireOrganization(call).id),
  }),
  route("GET", "/v1/admin/audit", {
    summary: "List who changed what, newest first",
    answers: { 200: AuditPage },
    access,
    getPartition: anywhere,
    rate: "read",
    query: pageParameters,
    run: listAudit,
  }),
];

async function listAccounts({ service, query }: Call<unknown, PageQuery>): Promise<Answer> {
  const { gateway, clock } = service;
  const after = parseId(service.cursors.after(query.cursor, "accounts", clock.nowMs()) ?? "");
  const { start, end } = getRange(usersKey);
  const range = { start, end: after === undefined ? end : userKey(after) };
  const rows = await gateway.range(range, query.limit + 1, true);
  const users = rows.slice(0, query.limit).map((row) => gateway.row<User>(row));
  const last = rows.length > query.limit ? users.at(-1)?.id : undefined;
  const wallets = await findAccounts(service, users);
  return json(200, {
    items: users.map((user, place) => accountView(user, wallets[place])),
    next_cursor: nextCursor(service, last, "accounts"),
    total: gateway.read(directoryKey)?.users ?? 0,
  });
}

async function patchAccount(call: Call<PatchTermsRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const user = requireUser(call);
  if (user.id === principal.user.id && body.status === "suspended")
    throw new RefusalError({ code: "conflict", detail: "You cannot suspend your own account." });
  const message: PatchUser = {
    kind: "patch_user",
    user: user.id,
    terms: mergeTerms(user, body),
    audit: auditNote(call, `account.change ${JSON.stringify(body)}`, user.id),
  };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "patched");
  const changed = requireUser(call);
  const [account] = await findAccounts(service, [changed]);
  return json(200, accountView(changed, account));
}

async function patchOrganization(call: Call<PatchTermsRequest>): Promise<Answer> {
  const { service, body } = call;
  const organization = requireOrganization(call);
  const message: PatchOrganization = {
    kind: "patch_organization",
    organization: organization.id,
    name: undefined,
    slug: undefined,
    terms: mergeTerms(organization, body),
    audit: auditNote(call, `organization.change ${JSON.stringify(body)}`, organization.id),
  };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "organized");
  const changed = requireOrganization(call);
  const [account] = await findAccounts(service, [changed]);
  return json(200, organizationView(changed, account));
}

function mergeTerms(
  { overrides }: User | Organization,
  { plan, status, limits }: PatchTermsRequest,
) {
  return { plan, status, overrides: limits && mergeOverrides(overrides, limits) };
}

/** The new token is the account's, whatever the administrator's own token is bound to. */
async function issueToken(call: Call<IssueTokenRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const user = requireUser(call);
  const wish = { ...body, name: body.name ?? "Issued by an administrator" };
  const made = drawToken(service, principal, user.id, wish, scopesOfClients);
  const message: IssueToken = {
    kind: "issue_token",
    token: made.drawn,
    audit: auditNote(call, `token.issue ${made.drawn.credential.id}`, user.id),
  };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "issued");
  return json(201, viewCreated(service.gateway, made));
}

async function giveCredits(
  call: Call<CreditsRequest>,
  what: "account" | "organization",
  scope: Id,
): Promise<Answer> {
  const { amount, note } = call.body;
  const detail = "must not be 0";
  if (amount === 0)
    throw new RefusalError({ code: "validation", faults: [{ pointer: "/amount", detail }] });
  const message: GiveCredits = {
    kind: "give_credits",
    scope,
    amount,
    note,
    audit: auditNote(call, `${what}.credits ${amount}`, scope),
  };
  const reply = await call.service.gateway.ask(directoryKey, message, "work");
  const { balance, held } = expectReply(reply, "granted");
  return json(200, { id: scope, balance_credits: balance, held_credits: held });
}

function listAudit({ service, query }: Call<unknown, PageQuery>): Answer {
  const { gateway, cursors, clock } = service;
  const { first, next } = gateway.read(directoryKey)?.audit ?? { first: 0, next: 0 };
  const shown = cursors.after(query.cursor, "audit", clock.nowMs());
  const end = Math.min(next, Number(shown ?? next));
  const start = Math.max(first, end - query.limit);
  const items = [];
  for (let entry = end - 1; entry >= start; entry--) {
    const row = gateway.read(auditKey(entry));
    if (row === undefined) continue;
    const { actor, action, target, atMs, requestId, address } = row;
    const at = timestamp(atMs);
    items.push({ id: String(entry), actor, action, target, at, request_id: requestId, address });
  }
  const last = start > first ? String(start) : undefined;
  return json(200, { items, next_cursor: nextCursor(service, last, "audit") });
}

function requireUser({ service, id }: Call): User {
  return requireFound(service.gateway.read(userKey(requireFound(parseId(id)))));
}

function requireOrganization({ service, id }: Call): Organization {
  return requireFound(service.gateway.read(organizationKey(requireFound(parseId(id)))));
}

/** Reads each account from the node that owns it. */
async function findAccounts(
  { gateway, clock }: Service,
  owners: readonly (User | Organization)[],
): Promise<readonly (Account | undefined)[]> {
  const nowMs = clock.nowMs();
  const accounts = await gateway.findAll(owners.map(({ id }) => accountKey(id)));
  return accounts.map((account) => account && accountAt(account, nowMs));
}

function accountView(user: User, account: Account | undefined): AdminAccount {
  return { ...commonView(user, account), email: user.email, display_name: user.displayName };
}

function organizationView(
  organization: Organization,
  account: Account | undefined,
): AdminOrganization {
  const { name, slug } = organization;
  return { ...commonView(organization, account), name, slug };
}

function commonView(owner: User | Organization, account: Account | undefined) {
  const { id, plan, status, overrides, createdAtMs } = owner;
  return {
    id,
    plan,
    status,
    limits: {
      concurrent_max: overrides?.concurrentMax ?? null,
      generations_per_day: overrides?.generationsPerDay ?? null,
      storage_bytes: overrides?.storedBytes ?? null,
    },
    balance_credits: getBalance({ account }),
    created_at: timestamp(createdAtMs),
  };
}
