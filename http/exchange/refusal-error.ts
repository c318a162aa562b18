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

/** Returns the value that was read; throws `RefusalError` with 404 when it is undefined. */
export function requireFound<T>(value: T | undefined): T {
  if (value === undefined) throw new RefusalError({ code: "not_found" });
  return value;
}
