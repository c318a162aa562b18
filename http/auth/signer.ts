import { createHmac, timingSafeEqual } from "node:crypto";
import type { SigningKey } from "../../actors/directory/directory.ts";

/** Signs by HMAC-SHA-256 with the directory's current key; its previous one still verifies. */
export class Signer {
  private readonly key: () => SigningKey;
  private readonly macBytes: number;

  /** Keeps the first `macBytes` of the 32 bytes of the MAC. */
  constructor(key: () => SigningKey, macBytes: number) {
    this.key = key;
    this.macBytes = macBytes;
  }

  sign(payload: string | Uint8Array): Buffer {
    return this.computeMac(this.key().current, payload);
  }

  verifies(mac: Uint8Array, payload: string | Uint8Array): boolean {
    if (mac.length !== this.macBytes) return false;
    const { current, previous } = this.key();
    return [current, previous].some(
      (secret) => secret !== null && timingSafeEqual(this.computeMac(secret, payload), mac),
    );
  }

  private computeMac(secret: string, payload: string | Uint8Array): Buffer {
    return createHmac("sha256", secret).update(payload).digest().subarray(0, this.macBytes);
  }
}
