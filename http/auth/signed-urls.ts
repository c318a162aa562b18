/**
 * Links to stored objects that work without a bearer until they expire. The key of the URL's
 * signature is the directory's; the previous one still verifies.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { SigningKey } from "../../actors/directory/directory.ts";
import { limits } from "../../config/limits.ts";

export const objectsPath = "/objects/";
/** Where parts of uploads are put; their object keys begin with the same word. */
export const uploadsPath = "/uploads/";

export interface SignedUrl {
  readonly url: string;
  readonly expiresAtMs: number;
}

export class SignedUrls {
  private readonly origin: string;
  private readonly key: () => SigningKey;

  constructor(origin: string, key: () => SigningKey) {
    this.origin = origin;
    this.key = key;
  }

  sign(objectKey: string, nowMs: number): SignedUrl {
    const expires = Math.ceil(nowMs / 1000) + limits.http.signedUrlSeconds;
    const signature = signatureOf(this.key().current, objectKey, expires);
    return {
      url: `${this.origin}${objectsPath}${objectKey}?expires=${expires}&signature=${signature}`,
      expiresAtMs: expires * 1000,
    };
  }

  /** A URL to which the object may be put. */
  signPut(objectKey: string, nowMs: number): SignedUrl {
    const expires = Math.ceil(nowMs / 1000) + limits.http.signedUrlSeconds;
    const signature = signatureOf(this.key().current, `put ${objectKey}`, expires);
    return {
      url: `${this.origin}/${objectKey}?expires=${expires}&signature=${signature}`,
      expiresAtMs: expires * 1000,
    };
  }

  verifiesPut(objectKey: string, query: URLSearchParams, nowMs: number): boolean {
    return this.verifies(`put ${objectKey}`, query, nowMs);
  }

  /** Whether the query of a link allows this object now. */
  verifies(objectKey: string, query: URLSearchParams, nowMs: number): boolean {
    const expires = Number(query.get("expires"));
    const given = Buffer.from(query.get("signature") ?? "", "base64url");
    // A link that lives longer than any that is given out was not made here.
    const latestMs = (Math.ceil(nowMs / 1000) + limits.http.signedUrlSeconds) * 1000;
    if (!(expires * 1000 > nowMs && expires * 1000 <= latestMs)) return false;
    const { current, previous } = this.key();
    return [current, previous].some((secret) => {
      if (secret === null) return false;
      const right = Buffer.from(signatureOf(secret, objectKey, expires), "base64url");
      return right.length === given.length && timingSafeEqual(right, given);
    });
  }
}

function signatureOf(secret: string, objectKey: string, expires: number): string {
  return createHmac("sha256", secret).update(`${expires} ${objectKey}`).digest("base64url");
}
