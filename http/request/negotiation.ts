/** Content negotiation by `Accept` (RFC 9110, section 12.5.1), where a route has two forms. */
import Negotiator from "negotiator";
import { RefusalError } from "../exchange/refusal-error.ts";

/** All forms are UTF-8. */
const charset = /;\s*charset=[^,;]*/gi;

/**
 * The preferred form, the first of `offered` without a preference. Throws `RefusalError` with 406
 * when none is acceptable.
 */
export function negotiateType<T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T {
  const form = choosePreferredType(accept, offered);
  if (form === undefined) throw new RefusalError({ code: "not_acceptable" });
  return form;
}

/** As `negotiateType`; undefined when none is acceptable. */
export function choosePreferredType<T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T | undefined {
  const headers = { accept: accept?.replace(charset, "").trim() || undefined };
  const wanted = new Negotiator({ headers }).mediaType([...offered]);
  return offered.find((type) => type === wanted);
}
