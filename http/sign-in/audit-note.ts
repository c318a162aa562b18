import type { AuditNote } from "../../actors/directory/audit.ts";
import type { Call } from "../route.ts";

/** The audit's record of a change: who requested it, from where, with which request id. */
export function auditNote(
  { principal, requestId, request }: Pick<Call, "principal" | "requestId" | "request">,
  action: string,
  target: string,
): AuditNote {
  return { actor: principal.user.id, action, target, requestId, address: request.address };
}
