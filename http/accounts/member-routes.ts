/** Routes for an organization's members: who belongs to it, with which role and which budget. */

import { directoryKey, type NoteAudit } from "../../actors/directory/directory-messages.ts";
import { type Member, membersKey } from "../../actors/directory/organization.ts";
import type { AddMember, ChangeMember } from "../../actors/directory/organizations.ts";
import { accountKey, type SetBudget } from "../../actors/protocol/account-messages.ts";
import {
  AddMemberRequest,
  BudgetRequest,
  ChangeMemberRequest,
  MemberBudget,
  MemberList,
  Member as MemberView,
} from "../../contract/organization.ts";
import type { Place } from "../auth/contexts.ts";
import { requirePermission } from "../auth/permissions.ts";
import { type Answer, json, noContent } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { atNamedId, type Call, jsonBody, type Route, route } from "../route.ts";
import { auditNote } from "../sign-in/audit-note.ts";
import { newAccount } from "../sign-in/new-account.ts";
import { requirePlace } from "./organization-routes.ts";
import { budgetView, memberView } from "./organization-views.ts";

const access = "organizations";

export const memberRoutes: readonly Route[] = [
  route("GET", "/v1/organizations/{id}/members", {
    summary: "List the members of an organization",
    answers: { 200: MemberList },
    access,
    getPartition: atNamedId,
    rate: "read",
    run: list,
  }),
  route("POST", "/v1/organizations/{id}/members", {
    summary: "Add an account to an organization, creating one if the address has none",
    answers: { 201: MemberView },
    access,
    getPartition: atNamedId,
    rate: "write",
    body: jsonBody<AddMemberRequest>(AddMemberRequest),
    run: add,
  }),
  route("PATCH", "/v1/organizations/{id}/members/{user_id}", {
    summary: "Give a member another role",
    answers: { 200: MemberView },
    access,
    getPartition: atNamedId,
    rate: "write",
    body: jsonBody<ChangeMemberRequest>(ChangeMemberRequest),
    run: change,
  }),
  route("DELETE", "/v1/organizations/{id}/members/{user_id}", {
    summary: "Remove a member, or leave",
    answers: { 204: null },
    access,
    getPartition: atNamedId,
    rate: "write",
    run: remove,
  }),
  route("PUT", "/v1/organizations/{id}/members/{user_id}/budget", {
    summary: "Limit how much of the organization's credits a member may commit",
    answers: { 200: MemberBudget },
    access,
    getPartition: atNamedId,
    rate: "write",
    body: jsonBody<BudgetRequest>(BudgetRequest),
    run: (call) => budget(call, { limit: call.body.limit_credits, period: call.body.period }),
  }),
  route("DELETE", "/v1/organizations/{id}/members/{user_id}/budget", {
    summary: "Lift a member's budget",
    answers: { 204: null },
    access,
    getPartition: atNamedId,
    rate: "write",
    run: (call) => budget(call, undefined),
  }),
];

function list(call: Call): Answer {
  const { gateway, clock } = call.service;
  const { organization } = requirePlace(call);
  const nowMs = clock.nowMs();
  const members = gateway.read(membersKey(organization.id)) ?? [];
  const items = members.map((member) => memberView(gateway, organization, member, nowMs));
  return json(200, { items: items.reverse() });
}

async function add(call: Call<AddMemberRequest>): Promise<Answer> {
  const { service, body } = call;
  const { gateway } = service;
  const { organization, role } = requirePlace(call);
  requirePermission({ role }, "manage_members");
  if (body.role === "owner") requirePermission({ role }, "manage_owners");
  const message: AddMember = {
    kind: "add_member",
    organization: organization.id,
    role: body.role,
    newcomer: newAccount(service, { email: body.email }, undefined),
    audit: auditNote(call, `member.add ${body.role}`, organization.id),
  };
  const reply = await gateway.ask(directoryKey, message, "work");
  const { member } = expectReply(reply, "joined");
  return json(201, memberView(gateway, organization, member, service.clock.nowMs()));
}

async function change(call: Call<ChangeMemberRequest>): Promise<Answer> {
  const { gateway, clock } = call.service;
  const place = requirePlace(call);
  const { organization, role } = place;
  requirePermission({ role }, "manage_members");
  const before = requireMember(call, place);
  if ([before.role, call.body.role].includes("owner")) requirePermission({ role }, "manage_owners");
  const member = await onChange(call, place, before, call.body.role);
  return json(200, memberView(gateway, organization, member, clock.nowMs()));
}

/** Any member may leave; removing others needs the permission to manage members. */
async function remove(call: Call): Promise<Answer> {
  const place = requirePlace(call);
  const { role } = place;
  const isSelf = call.principal.user.id === call.ids[1]?.toLowerCase();
  if (!isSelf) requirePermission({ role }, "manage_members");
  const before = requireMember(call, place);
  if (!isSelf && before.role === "owner") requirePermission({ role }, "manage_owners");
  await onChange(call, place, before, undefined);
  return noContent();
}

async function onChange(
  call: Call,
  { organization }: Place,
  { user }: Member,
  role: Member["role"] | undefined,
): Promise<Member> {
  const action = role === undefined ? "member.remove" : `member.change ${role}`;
  const message: ChangeMember = {
    kind: "change_member",
    organization: organization.id,
    user,
    role,
    audit: auditNote(call, action, `${organization.id} ${user}`),
  };
  const reply = await call.service.gateway.ask(directoryKey, message, "work");
  return expectReply(reply, "joined").member;
}

/** The audit row is written first, so that no budget changes without one. */
async function budget(
  call: Call,
  wanted: { readonly limit: number; readonly period: BudgetRequest["period"] } | undefined,
): Promise<Answer> {
  const { gateway, clock } = call.service;
  const place = requirePlace(call);
  requirePermission(place, "budgets");
  const { user } = requireMember(call, place);
  const { id } = place.organization;
  const action =
    wanted === undefined ? "budget.lift" : `budget.set ${wanted.limit} ${wanted.period}`;
  const note: NoteAudit = { kind: "note", audit: auditNote(call, action, `${id} ${user}`) };
  expectReply(await gateway.ask(directoryKey, note, "work"), "noted");
  const message: SetBudget = { kind: "set_budget", user, budget: wanted };
  const reply = await gateway.ask(accountKey(id), message, "work");
  const { spending } = expectReply(reply, "budgeted");
  return wanted === undefined ? noContent() : json(200, budgetView(spending, clock.nowMs()));
}

/** Throws 404 for users who do not belong to the organization. */
function requireMember({ service, ids }: Call, { organization }: Place): Member {
  const members = service.gateway.read(membersKey(organization.id)) ?? [];
  return requireFound(members.find(({ user }) => user === ids[1]?.toLowerCase()));
}
