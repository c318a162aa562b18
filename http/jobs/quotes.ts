/**
 * Confirmation tokens: what a quote gives out and a submit may bring back. A token is verified
 * without stored state; only that it was used is remembered, by the account.
 *
 *   mac 16 | expires 6 | who 16 | what 16 | nonce 8      base64url, 83 characters
 */

import { createHash } from "node:crypto";
import type { SigningKey } from "../../actors/directory/directory.ts";
import type { Confirmation } from "../../actors/protocol/submit-terms.ts";
import { limits } from "../../config/limits.ts";
import type { CostKind } from "../../contract/cost.ts";
import type { Id } from "../../engine/id.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import { Signer } from "../auth/signer.ts";

/** The values that a quote's token is bound to. */
export interface Offer {
  readonly user: Id;
  readonly scope: Id;
  readonly kind: CostKind;
  readonly canonical: string;
  readonly model: string;
  readonly price: number;
}

const macBytes = 16;
const tokenBytes = macBytes + 6 + 16 + 16 + 8;

export class Quotes {
  private readonly signer: Signer;
  private readonly clock: Clock;
  private readonly entropy: Entropy;

  constructor(key: () => SigningKey, clock: Clock, entropy: Entropy) {
    this.signer = new Signer(key, macBytes);
    this.clock = clock;
    this.entropy = entropy;
  }

  issue(offer: Offer): { readonly token: string; readonly expiresAtMs: number } {
    const expiresAtMs = this.clock.nowMs() + limits.pricing.confirmationMs;
    const expires = Buffer.alloc(6);
    expires.writeUIntBE(expiresAtMs, 0, 6);
    const nonce = this.entropy.bytes(8);
    const payload = Buffer.concat([expires, encodeRequester(offer), encodeOffer(offer), nonce]);
    return {
      token: Buffer.concat([this.signer.sign(payload), payload]).toString("base64url"),
      expiresAtMs,
    };
  }

  /** Undefined without a token. The account refuses a bad one in the order of its own checks. */
  check(token: string | undefined, offer: () => Offer): Confirmation | undefined {
    if (token === undefined) return undefined;
    const bytes = Buffer.from(token, "base64url");
    const payload = bytes.subarray(macBytes);
    const isOurs = this.signer.verifies(bytes.subarray(0, macBytes), payload);
    if (bytes.length !== tokenBytes || !isOurs) return { kind: "rejected", reason: "invalid" };
    const asked = offer();
    if (!encodeRequester(asked).equals(payload.subarray(6, 22)))
      return { kind: "rejected", reason: "foreign" };
    const expiresAtMs = payload.readUIntBE(0, 6);
    if (expiresAtMs <= this.clock.nowMs()) return { kind: "rejected", reason: "expired" };
    if (!encodeOffer(asked).equals(payload.subarray(22, 38)))
      return { kind: "rejected", reason: "mismatch" };
    const digest = createHash("sha256").update(bytes).digest("binary").slice(0, 16);
    return { kind: "valid", digest, expiresAtMs };
  }
}

function encodeRequester({ user, scope }: Offer): Buffer {
  return digest(`${user}\n${scope}`);
}

function encodeOffer({ kind, canonical, model, price }: Offer): Buffer {
  return digest(`${kind}\n${model}\n${price}\n${canonical}`);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest().subarray(0, 16);
}

declare module "../service.ts" {
  interface Service {
    readonly quotes: Quotes;
  }
}
