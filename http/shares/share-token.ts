/**
 * Tokens of share links: 16 random bytes and one byte that names the link's partition, in
 * base64url. There is no index from tokens to shards, and only a token's digest is stored.
 */
import type { Entropy } from "../../engine/ports/entropy.ts";
import { computeDigest } from "../auth/principals.ts";

const secretBytes = 16;
const prefixLength = 6;
const tokenPattern = /^[\w-]{23}$/;

export function mintToken(entropy: Entropy, partition: number): string {
  return Buffer.from([...entropy.bytes(secretBytes), partition]).toString("base64url");
}

/** The first characters, by which the owner recognizes the token in a listing. */
export function tokenPrefix(token: string): string {
  return token.slice(0, prefixLength);
}

/** Whether a text is a token; others are answered like unknown tokens, on every node. */
export function isToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** Partition and digest by which a token's link is found. */
export function tokenPlace(token: string): { readonly partition: number; readonly digest: string } {
  const partition = Buffer.from(token, "base64url").at(-1) ?? 0;
  return { partition, digest: computeDigest(token) };
}
