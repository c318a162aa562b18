import type { Refusal } from "../../actors/refusal.ts";

/** Carries a refusal out of a route; caught by the route wrapper and nowhere else. */
export class RefusalError extends Error {
  override readonly name = "RefusalError";
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

/** What was read, if anything; throws `RefusalError` with 404 otherwise. */
export function requireFound<T>(value: T | undefined): T {
  if (value === undefined) throw new RefusalError({ code: "not_found" });
  return value;
}
