/** Steps that tests about organizations share. */
import type { User } from "../../contract/account.ts";
import type { Organization, Role } from "../../contract/organization.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Caller } from "./caller.ts";
import type { InProcess } from "./in-process-service.ts";

export async function organization(owner: Caller, name = "Kite Works"): Promise<Organization> {
  const { status, json } = await owner.post<Organization>("/v1/organizations", { name });
  invariant(status === 201, "the organization was made");
  return json;
}

/** Founds an organization with a plan and credits, so that members can submit. */
export async function foundPaidOrganization(house: InProcess, owner: Caller, credits = 1_000) {
  const org = await organization(owner);
  await house.admin.patch(`/v1/admin/organizations/${org.id}`, { plan: "studio" });
  await house.admin.post(`/v1/admin/organizations/${org.id}/credits`, { amount: credits });
  return org;
}

export async function readEmail(caller: Caller): Promise<string> {
  return (await caller.get<User>("/v1/me")).json.email;
}

export async function join(
  by: Caller,
  org: { readonly id: string },
  whom: Caller,
  role: Role,
): Promise<void> {
  const body = { email: await readEmail(whom), role };
  const { status, text } = await by.post(`/v1/organizations/${org.id}/members`, body);
  invariant(status === 201, `the member was added: ${text}`);
}

export async function enter(caller: Caller, org: { readonly id: string } | null): Promise<void> {
  const body = { organization_id: org?.id ?? null };
  const { status } = await caller.put("/v1/me/active-organization", body);
  invariant(status === 200, "the organization was entered");
}
