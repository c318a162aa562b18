/** Form-encoded bodies (RFC 6749, appendix B), in which each field occurs at most once. */
import type { Check } from "../../config/schema.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

const formType = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** A field without a value counts as absent. Throws `RefusalError` with `invalid_request`. */
export function parseForm<T>(
  bytes: Uint8Array,
  contentType: string | undefined,
  check: Check<T>,
): T {
  if (!formType.test(contentType ?? ""))
    throw invalid("Send application/x-www-form-urlencoded in UTF-8.");
  const fields = new URLSearchParams(Buffer.from(bytes).toString());
  const value: Record<string, string> = {};
  for (const [name, text] of fields) {
    if (Object.hasOwn(value, name)) throw invalid(`The field ${name} is given more than once.`);
    if (text !== "") Object.defineProperty(value, name, { value: text, enumerable: true });
  }
  if (check(value)) return value;
  const [fault] = check.faults(value);
  throw invalid(`${fault?.pointer.slice(1) ?? "a field"} ${fault?.detail ?? "is wrong"}`);
}

function invalid(detail: string): RefusalError {
  return new RefusalError({ code: "oauth", error: "invalid_request", detail });
}
