/**
 * Tokens of share links: 16 random bytes and one that says in which partition the link is, in
 * base64url. No index leads from tokens to shards, and of a token only its digest is stored.
 */
import type { Entropy } from "../../engine/ports/entropy.ts";
import { computeDigest } from "../auth/principals.ts";

const secretBytes = 16;
const prefixLength = 6;
const tokenPattern = /^[\w-]{23}$/;

export function mintToken(entropy: Entropy, partition: number): string {
  return Buffer.from([...entropy.bytes(secretBytes), partition]).toString("base64url");
}

/** By which its owner recognizes it in a listing. */
export function tokenPrefix(token: string): string {
  return token.slice(0, prefixLength);
}

/** What is no token gets the answer of one that is unknown, wherever it was asked. */
export function isToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** Where to look for a token's link. */
export function tokenPlace(token: string): { readonly partition: number; readonly digest: string } {
  const partition = Buffer.from(token, "base64url").at(-1) ?? 0;
  return { partition, digest: computeDigest(token) };
}
