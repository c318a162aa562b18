/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type { CreateTokenRequest, CreatedToken, TokenList } from "./models.ts";

export class TokensCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Create a personal access token. */
  create(request: CreateTokenRequest, options: CallOptions = {}): Promise<CreatedToken> {
    return this.caller.json<CreatedToken>(
      { method: "POST", path: "/tokens", body: request, isRepeatable: false },
      options,
    );
  }

  /** List the account's active personal access tokens. */
  list(options: CallOptions = {}): Promise<TokenList> {
    return this.caller.json<TokenList>(
      { method: "GET", path: "/tokens", isRepeatable: true },
      options,
    );
  }

  /** Revoke a personal access token. */
  revoke(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.caller.end(
      { method: "DELETE", path: `/tokens/${segment(id)}`, isRepeatable: false },
      options,
    );
  }
}
