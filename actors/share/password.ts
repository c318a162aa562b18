/** Passwords of share links, by scrypt (RFC 7914). */
import { scryptSync, timingSafeEqual } from "node:crypto";

/** What is hashed, in a process where that disturbs no other work. */
export interface PasswordTask {
  readonly password: string;
  readonly salt: string;
  readonly cost: number;
}

/** r and p of scrypt. */
const blockSize = 8;
const parallelization = 2;
const hashBytes = 32;

/** In base64url. Takes the thread for as long as `cost` says. */
export function hashPassword(task: PasswordTask): string {
  const { password, salt, bytes, options } = getScryptParameters(task);
  return scryptSync(password, salt, bytes, options).toString("base64url");
}

/** What scrypt is to be told of it. */
export function getScryptParameters({ password, salt, cost }: PasswordTask) {
  return {
    // The same letters, however a keyboard composed them.
    password: password.normalize("NFKC"),
    salt: Buffer.from(salt, "base64url"),
    bytes: hashBytes,
    options: { N: cost, r: blockSize, p: parallelization, maxmem: 256 * cost * blockSize },
  };
}

/** In a time that does not tell how much of it is right. */
export function isSameHash(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
