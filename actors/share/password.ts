/** Passwords of share links, by scrypt (RFC 7914). */
import { scryptSync, timingSafeEqual } from "node:crypto";

/** A password to hash, in a process where the hashing delays no other work. */
export interface PasswordTask {
  readonly password: string;
  readonly salt: string;
  readonly cost: number;
}

/** The parameters r and p of scrypt. */
const blockSize = 8;
const parallelization = 2;
const hashBytes = 32;

/** Returns the hash in base64url. Blocks the thread for as long as `cost` demands. */
export function hashPassword(task: PasswordTask): string {
  const { password, salt, bytes, options } = getScryptParameters(task);
  return scryptSync(password, salt, bytes, options).toString("base64url");
}

/** Parameters passed to scrypt. */
export function getScryptParameters({ password, salt, cost }: PasswordTask) {
  return {
    // NFKC makes the password the same, however a keyboard composed its characters.
    password: password.normalize("NFKC"),
    salt: Buffer.from(salt, "base64url"),
    bytes: hashBytes,
    options: { N: cost, r: blockSize, p: parallelization, maxmem: 256 * cost * blockSize },
  };
}

/** Compares in constant time, so that the time does not reveal how much of the hash is right. */
export function isSameHash(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
