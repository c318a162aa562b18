/** What each role of an organization may do. In a personal space its user may do everything. */
import type { Role } from "../../contract/organization.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

/** Roles that have each permission; the first is the least one and is named in refusals. */
const rolesByPermission = {
  submit: ["member", "admin", "owner"],
  read: ["viewer", "member", "admin", "owner"],
  cancel_any: ["admin", "owner"],
  cancel_own: ["member", "admin", "owner"],
  share_any: ["admin", "owner"],
  share_own: ["member", "admin", "owner"],
  edit_any: ["admin", "owner"],
  edit_own: ["member", "admin", "owner"],
  manage_members: ["admin", "owner"],
  manage_organization: ["admin", "owner"],
  manage_owners: ["owner"],
  delete_organization: ["owner"],
  manage_clients: ["admin", "owner"],
  budgets: ["billing_contact", "admin", "owner"],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof rolesByPermission;

/** An undefined role means the personal space. */
export function isPermitted(role: Role | undefined, permission: Permission): boolean {
  const allowed: readonly Role[] = rolesByPermission[permission];
  return role === undefined || allowed.includes(role);
}

/** Throws `RefusalError` with 403 that names the least role with the permission. */
export function requirePermission(
  { role }: { readonly role: Role | undefined },
  permission: Permission,
): void {
  if (isPermitted(role, permission)) return;
  throw new RefusalError({
    code: "forbidden",
    requiredRole: rolesByPermission[permission][0],
    detail: `The role ${role} does not allow this.`,
  });
}
