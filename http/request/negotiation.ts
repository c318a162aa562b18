/** Content negotiation by `Accept` (RFC 9110, section 12.5.1), for routes with two formats. */
import Negotiator from "negotiator";
import { RefusalError } from "../exchange/refusal-error.ts";

/** Charset parameters, which are ignored since all formats are UTF-8. */
const charset = /;\s*charset=[^,;]*/gi;

/**
 * Returns the preferred format, or the first of `offered` if none is preferred. Throws
 * `RefusalError` with 406 when none is acceptable.
 */
export function negotiateType<T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T {
  const form = choosePreferredType(accept, offered);
  if (form === undefined) throw new RefusalError({ code: "not_acceptable" });
  return form;
}

/** Like `negotiateType`, but returns undefined when none is acceptable. */
export function choosePreferredType<T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T | undefined {
  const headers = { accept: accept?.replace(charset, "").trim() || undefined };
  const wanted = new Negotiator({ headers }).mediaType([...offered]);
  return offered.find((type) => type === wanted);
}
