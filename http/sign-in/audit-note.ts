import type { AuditNote } from "../../actors/directory/audit.ts";
import type { Call } from "../route.ts";

/** The audit's note of a change: who asked for it, from where, under which request id. */
export function auditNote(
  { principal, requestId, request }: Pick<Call, "principal" | "requestId" | "request">,
  action: string,
  target: string,
): AuditNote {
  return { actor: principal.user.id, action, target, requestId, address: request.address };
}
