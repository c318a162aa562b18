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
