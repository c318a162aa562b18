/**
 * Tokens in the URLs that providers call when a job has ended; each is valid for one submission of
 * one job. They are signed with the directory's key; its previous key still verifies.
 */
import type { SigningKey } from "../../actors/directory/directory.ts";
import { limits } from "../../config/limits.ts";
import type { Id } from "../../engine/id.ts";
import { Signer } from "../auth/signer.ts";

const tokenBytes = 24;

export class CallbackTokens {
  private readonly baseUrl: string;
  private readonly signer: Signer;

  constructor(baseUrl: string, key: () => SigningKey) {
    this.baseUrl = baseUrl;
    this.signer = new Signer(key, tokenBytes);
  }

  urlFor(provider: string, job: Id, number: number): string {
    const token = this.signer.sign(encodeSubject(provider, job, number)).toString("base64url");
    return `${this.baseUrl}/callbacks/${provider}?job=${job}&t=${token}`;
  }

  /** Number of the submission with this token, among the latest of a job with `submits` of them. */
  findSubmission(token: string, provider: string, job: Id, submits: number): number | undefined {
    const mac = Buffer.from(token, "base64url");
    const first = Math.max(1, submits - limits.callbacks.submissionsMax + 1);
    for (let number = submits; number >= first; number--)
      if (this.signer.verifies(mac, encodeSubject(provider, job, number))) return number;
    return undefined;
  }
}

function encodeSubject(provider: string, job: Id, number: number): string {
  return `${provider}|${job}|${number}`;
}

declare module "../service.ts" {
  interface Service {
    readonly callbackTokens: CallbackTokens;
  }
}
