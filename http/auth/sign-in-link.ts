/**
 * The link by which a person at this machine signs in to the console without copying the first
 * token. Its code works once and for a few minutes, and is kept as a digest in memory only. It
 * stands in the fragment of the address, which a browser does not send.
 */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import { computeDigest } from "./principals.ts";

const codeBytes = 32;

export class SignInLink {
  private readonly clock: Clock;
  private readonly entropy: Entropy;
  private readonly readToken: () => string | undefined;
  private open: { readonly digest: string; readonly untilMs: number } | undefined;

  /** `readToken` reads the first token; undefined where there is none any more. */
  constructor(clock: Clock, entropy: Entropy, readToken: () => string | undefined) {
    this.clock = clock;
    this.entropy = entropy;
    this.readToken = readToken;
  }

  /** Makes the only link that is valid from now on; undefined where there is no first token. */
  make(origin: string): string | undefined {
    if (this.readToken() === undefined) return undefined;
    const code = Buffer.from(this.entropy.bytes(codeBytes)).toString("base64url");
    const untilMs = this.clock.nowMs() + limits.oauth.signInLinkSeconds * 1_000;
    this.open = { digest: computeDigest(code), untilMs };
    return `${origin}/console#sign-in=${code}`;
  }

  /** Returns the first token for the code of the link, once. */
  redeem(code: string): string | undefined {
    const { open } = this;
    if (open?.digest !== computeDigest(code)) return undefined;
    this.open = undefined;
    return open.untilMs >= this.clock.nowMs() ? this.readToken() : undefined;
  }
}

declare module "../service.ts" {
  interface Service {
    readonly signInLink: SignInLink;
  }
}
