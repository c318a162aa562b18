/** Written by clients/generator from the published contract; do not edit it. */
import type { CallOptions, Caller } from "../caller.ts";
import type { Limits, User } from "./models.ts";

export class AccountCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** The account and its current generation concurrency. */
  me(options: CallOptions = {}): Promise<User> {
    return this.caller.json<User>(
      { method: "GET", path: "/me", isRepeatable: true },
      options,
    );
  }

  /** Read the limits that apply to the caller. */
  limits(options: CallOptions = {}): Promise<Limits> {
    return this.caller.json<Limits>(
      { method: "GET", path: "/limits", isRepeatable: true },
      options,
    );
  }
}
