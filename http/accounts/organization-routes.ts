/**
 * Organizations. Permissions come from the caller's membership in the organization that the path
 * names, whatever context the credential acts in; a pinned credential can see only its own
 * organization.
 */

import { directoryKey } from "../../actors/directory/directory-messages.ts";
import { membershipsKey, type Organization } from "../../actors/directory/organization.ts";
import type {
  CreateOrganization,
  DeleteOrganization,
  PatchOrganization,
} from "../../actors/directory/organizations.ts";
import {
  CreateOrganizationRequest,
  OrganizationList,
  Organization as OrganizationView,
  PatchOrganizationRequest,
} from "../../contract/organization.ts";
import { parseId, partitionOfId } from "../../engine/id.ts";
import { type Place, placeIn } from "../auth/contexts.ts";
import { requirePermission } from "../auth/permissions.ts";
import { type Answer, json, noContent } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { anywhere, atNamedId, type Call, jsonBody, type Route, route } from "../route.ts";
import { auditNote } from "../sign-in/audit-note.ts";
import { organizationView } from "./organization-views.ts";

export const organizationRoutes: readonly Route[] = [
  route("GET", "/v1/organizations", {
    summary: "List the organizations that the account belongs to",
    answers: { 200: OrganizationList },
    access: "organizations",
    getPartition: anywhere,
    rate: "read",
    run: list,
  }),
  route("POST", "/v1/organizations", {
    summary: "Create an organization; its creator becomes owner",
    answers: { 201: OrganizationView },
    access: "organizations",
    getPartition: anywhere,
    rate: "write",
    body: jsonBody<CreateOrganizationRequest>(CreateOrganizationRequest),
    run: create,
  }),
  route("GET", "/v1/organizations/{id}", {
    summary: "Read an organization",
    answers: { 200: OrganizationView },
    access: "organizations",
    getPartition: atNamedId,
    rate: "read",
    run: async (call) => json(200, await buildView(call, requirePlace(call))),
  }),
  route("PATCH", "/v1/organizations/{id}", {
    summary: "Rename an organization",
    answers: { 200: OrganizationView },
    access: "organizations",
    getPartition: atNamedId,
    rate: "write",
    body: jsonBody<PatchOrganizationRequest>(PatchOrganizationRequest),
    run: patch,
  }),
  route("DELETE", "/v1/organizations/{id}", {
    summary: "Delete an organization",
    answers: { 204: null },
    access: "organizations",
    getPartition: atNamedId,
    rate: "write",
    run: remove,
  }),
];

/** The organization in the path; 404 when it is unknown or the caller may not see it. */
export function requirePlace({ service, principal, id }: Call): Place {
  const { user, credential } = principal;
  const organization = requireFound(parseId(id));
  const isInContext = credential.organization === null || credential.organization === organization;
  return requireFound(isInContext ? placeIn(service.gateway, user.id, organization) : undefined);
}

function buildView(
  { service, principal }: Call<unknown>,
  place: Pick<Place, "organization" | "role">,
): Promise<OrganizationView> {
  return organizationView(service.gateway, place, principal.user, service.clock.nowMs());
}

async function list(call: Call): Promise<Answer> {
  const { service, principal } = call;
  const { gateway } = service;
  const { user, credential } = principal;
  const places = (gateway.read(membershipsKey(user.id)) ?? [])
    .filter(({ organization: id }) => [null, id].includes(credential.organization))
    .flatMap(({ organization: id }) => placeIn(gateway, user.id, id) ?? [])
    .sort((a, b) => (a.organization.id < b.organization.id ? 1 : -1));
  const items = await Promise.all(places.map((place) => buildView(call, place)));
  return json(200, { items });
}

async function create(call: Call<CreateOrganizationRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  if (principal.credential.organization !== null)
    throw new RefusalError({
      code: "forbidden",
      detail: "A token pinned to an organization cannot create organizations.",
    });
  const creator = principal.user.id;
  // The id lies in the creator's partition, because its use counts towards the creator's account.
  const id = service.ids.under(partitionOfId(creator));
  const { name, slug } = body;
  const organization: Organization = {
    id,
    name,
    slug: slug ?? getSlug(name),
    plan: "free",
    status: "active",
    createdAtMs: service.clock.nowMs(),
    countsInto: creator,
  };
  const message: CreateOrganization = {
    kind: "create_organization",
    organization,
    isSlugAsked: slug !== undefined,
    founder: creator,
    audit: auditNote(call, "organization.create", id),
  };
  const reply = await service.gateway.ask(directoryKey, message, "work");
  const made = expectReply(reply, "organized").organization;
  const view = await buildView(call, { organization: made, role: "owner" });
  return json(201, view, [["Location", `${service.baseUrl}/organizations/${id}`]]);
}

/** Builds a slug from the letters and digits of a name. */
function getSlug(name: string): string {
  const plain = name.normalize("NFKD").toLowerCase();
  const words = plain.match(/[a-z0-9]+/g)?.join("-") ?? "";
  const slug = words.slice(0, 32).replace(/-$/, "");
  return slug.length < 2 ? `organization${slug === "" ? "" : `-${slug}`}` : slug;
}

async function patch(call: Call<PatchOrganizationRequest>): Promise<Answer> {
  const { service, body } = call;
  const { organization, role } = requirePlace(call);
  requirePermission({ role }, "manage_organization");
  const { name, slug } = body;
  const message: PatchOrganization = {
    kind: "patch_organization",
    organization: organization.id,
    name,
    slug,
    terms: { plan: undefined, status: undefined, overrides: undefined },
    audit: auditNote(call, "organization.rename", organization.id),
  };
  const reply = await service.gateway.ask(directoryKey, message, "work");
  const next = expectReply(reply, "organized").organization;
  return json(200, await buildView(call, { organization: next, role }));
}

async function remove(call: Call): Promise<Answer> {
  const { gateway } = call.service;
  const { organization, role } = requirePlace(call);
  requirePermission({ role }, "delete_organization");
  const message: DeleteOrganization = {
    kind: "delete_organization",
    organization: organization.id,
    audit: auditNote(call, "organization.delete", organization.id),
  };
  expectReply(await gateway.ask(directoryKey, message, "work"), "deleted");
  return noContent();
}
