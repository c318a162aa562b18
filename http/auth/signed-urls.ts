/**
 * Links to stored objects that work without a bearer until they expire. URLs are signed with the
 * directory's key; its previous key still verifies.
 */
import type { SigningKey } from "../../actors/directory/directory.ts";
import { limits } from "../../config/limits.ts";
import { Signer } from "./signer.ts";

export const objectsPath = "/objects/";
/** Path to which parts of uploads are put; their object keys begin with the same word. */
export const uploadsPath = "/uploads/";

export interface SignedUrl {
  readonly url: string;
  readonly expiresAtMs: number;
}

export interface SignOptions {
  /** Lifetime of the link in seconds, at most the default one. */
  readonly seconds?: number;
  /** Whether a browser shows or saves the object, and under which name. */
  readonly disposition?: Disposition | undefined;
}

export interface Disposition {
  readonly kind: "inline" | "attachment";
  readonly filename: string;
}

export class SignedUrls {
  private readonly origin: string;
  private readonly signer: Signer;

  constructor(origin: string, key: () => SigningKey) {
    this.origin = origin;
    this.signer = new Signer(key, 32);
  }

  sign(objectKey: string, nowMs: number, options: SignOptions = {}): SignedUrl {
    const { disposition, seconds } = options;
    const link = this.signUrl(
      `${objectsPath}${objectKey}`,
      encodeSubject(objectKey, disposition),
      nowMs,
      seconds,
    );
    if (disposition === undefined) return link;
    const parameter = parameters[disposition.kind];
    return { ...link, url: `${link.url}&${parameter}=${encodeURIComponent(disposition.filename)}` };
  }

  /** Returns a URL to which the object may be put. */
  signPut(objectKey: string, nowMs: number): SignedUrl {
    return this.signUrl(`/${objectKey}`, `put ${objectKey}`, nowMs);
  }

  verifiesPut(objectKey: string, query: URLSearchParams, nowMs: number): boolean {
    return this.verifies(`put ${objectKey}`, query, nowMs);
  }

  /** Whether the query of a link allows this object now. */
  verifiesGet(objectKey: string, query: URLSearchParams, nowMs: number): boolean {
    return this.verifies(encodeSubject(objectKey, readDisposition(query)), query, nowMs);
  }

  private verifies(subject: string, query: URLSearchParams, nowMs: number): boolean {
    const expires = Number(query.get("expires"));
    const signature = Buffer.from(query.get("signature") ?? "", "base64url");
    // A link that expires later than any that this service issues was not made here.
    const latestMs = expiryAt(nowMs) * 1000;
    if (!(expires * 1000 > nowMs && expires * 1000 <= latestMs)) return false;
    return this.signer.verifies(signature, `${expires} ${subject}`);
  }

  private signUrl(path: string, subject: string, nowMs: number, seconds?: number): SignedUrl {
    const expires = expiryAt(nowMs, seconds);
    const signature = this.signer.sign(`${expires} ${subject}`).toString("base64url");
    return {
      url: `${this.origin}${path}?expires=${expires}&signature=${signature}`,
      expiresAtMs: expires * 1000,
    };
  }
}

/** The text that a link's signature covers; object keys contain no blanks. */
function encodeSubject(objectKey: string, disposition: Disposition | undefined): string {
  if (disposition === undefined) return objectKey;
  const { kind, filename } = disposition;
  return `${kind === "inline" ? "show" : "save"} ${objectKey} ${filename}`;
}

/** Name of the link's query parameter that holds the file name. */
const parameters = { inline: "name", attachment: "filename" } as const;

export function readDisposition(query: URLSearchParams): Disposition | undefined {
  for (const kind of ["attachment", "inline"] as const) {
    const filename = query.get(parameters[kind]);
    if (filename !== null) return { kind, filename };
  }
  return undefined;
}

/** Returns the time of expiry in whole seconds. */
function expiryAt(nowMs: number, seconds: number = limits.http.signedUrlSeconds): number {
  return Math.ceil(nowMs / 1000) + seconds;
}
