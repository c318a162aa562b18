/**
 * Passwords of share links, hashed by a process of low priority. The queue is limited; guesses
 * beyond it are refused, so that they slow down no submit and take up no memory.
 */
import type { PasswordHash } from "../../actors/protocol/share.ts";
import { isSameHash, type PasswordTask } from "../../actors/share/password.ts";
import { limits } from "../../config/limits.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

/** Resolves to the hash in base64url. */
export type HashPassword = (task: PasswordTask) => Promise<string>;

const saltBytes = 16;

export class SharePasswords {
  private readonly hashOn: HashPassword;
  private readonly entropy: Entropy;
  /** Number of passwords that are being hashed or wait for it. */
  private open = 0;

  constructor(hashOn: HashPassword, entropy: Entropy) {
    this.hashOn = hashOn;
    this.entropy = entropy;
  }

  /** Hashes a new password. Throws `RefusalError` with 429 when too many wait. */
  async protect(password: string): Promise<PasswordHash> {
    const salt = Buffer.from(this.entropy.bytes(saltBytes)).toString("base64url");
    const cost = limits.shares.passwordCost;
    return { salt, cost, hash: await this.hash({ password, salt, cost }) };
  }

  /** Checks a password. Throws `RefusalError` with 429 when too many wait. */
  async isRight(password: string, { salt, cost, hash }: PasswordHash): Promise<boolean> {
    if ([...password].length > limits.shares.passwordMax) return false;
    return isSameHash(await this.hash({ password, salt, cost }), hash);
  }

  private async hash(task: PasswordTask): Promise<string> {
    const { passwordThreads, passwordsWaitingMax, retryAfterSeconds } = limits.shares;
    if (this.open >= passwordThreads + passwordsWaitingMax)
      throw new RefusalError({ code: "rate_limit", retryAfterSeconds });
    this.open++;
    try {
      return await this.hashOn(task);
    } finally {
      this.open--;
    }
  }
}
