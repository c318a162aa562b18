/**
 * Cursors that continue a listing: opaque to clients, bound to the listing's filters, valid for a
 * day.
 */
import type { SigningKey } from "../../actors/directory/directory.ts";
import { limits } from "../../config/limits.ts";
import { Signer } from "../auth/signer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

const macBytes = 16;

export class Cursors {
  private readonly signer: Signer;

  constructor(key: () => SigningKey) {
    this.signer = new Signer(key, macBytes);
  }

  /** `after` is the last row shown, `filters` everything that selects rows. */
  make(after: string, filters: string, nowMs: number): string {
    const payload = Buffer.from(`${nowMs + limits.jobs.cursorMs} ${after}`);
    const mac = this.signer.sign(signPayload(payload, filters));
    return Buffer.concat([mac, payload]).toString("base64url");
  }

  /** Like `read`, for an optional cursor; throws `RefusalError` with 400 for an invalid one. */
  after(cursor: string | undefined, filters: string, nowMs: number): string | undefined {
    if (cursor === undefined) return undefined;
    const after = this.read(cursor, filters, nowMs);
    if (after === undefined) throw new RefusalError(badCursor);
    return after;
  }

  /** Returns undefined when malformed, expired, or made with other filters. */
  private read(cursor: string, filters: string, nowMs: number): string | undefined {
    const bytes = Buffer.from(cursor, "base64url");
    const payload = bytes.subarray(macBytes);
    const mac = bytes.subarray(0, macBytes);
    if (!this.signer.verifies(mac, signPayload(payload, filters))) return undefined;
    const [expires, after] = payload.toString().split(" ");
    return Number(expires) > nowMs ? after : undefined;
  }
}

const badCursor = {
  code: "validation",
  faults: [{ pointer: "?cursor", detail: "is malformed, expired or from another listing" }],
} as const;

/** Signs the filters with the payload; the cursor does not contain them. */
function signPayload(payload: Uint8Array, filters: string): Buffer {
  return Buffer.concat([payload, Buffer.from(`\n${filters}`)]);
}

declare module "../service.ts" {
  interface Service {
    readonly cursors: Cursors;
  }
}
