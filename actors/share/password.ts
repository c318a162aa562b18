/** Passwords of share links, by scrypt (RFC 7914). */
import { scryptSync, timingSafeEqual } from "node:crypto";

/** Salt and hash in base64url; `cost` is scrypt's N, kept so that a later one may be higher. */
export interface PasswordHash {
  readonly salt: string;
  readonly hash: string;
  readonly cost: number;
}

/** What is hashed, on a thread where that disturbs no other work. */
export interface PasswordTask {
  readonly password: string;
  readonly salt: string;
  readonly cost: number;
}

/** r and p of scrypt; with N of 2^14 they take 16 MiB, twice over, and some 90 ms of a core. */
const blockSize = 8;
const parallelization = 2;
const hashBytes = 32;

/** In base64url. Takes the thread for as long as `cost` says. */
export function hashPassword({ password, salt, cost }: PasswordTask): string {
  // The same letters, however a keyboard composed them.
  const letters = password.normalize("NFKC");
  const options = { N: cost, r: blockSize, p: parallelization, maxmem: 256 * cost * blockSize };
  const hash = scryptSync(letters, Buffer.from(salt, "base64url"), hashBytes, options);
  return hash.toString("base64url");
}

/** In a time that does not tell how much of it is right. */
export function isSameHash(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
