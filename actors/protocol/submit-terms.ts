/** What a submit tells its account besides the job: duplicate key, plan, confirmation and rate. */

import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";
import type { CreateJob } from "./job.ts";

/**
 * Result of checking a confirmation token where the request arrived; `digest` as in `tombstoneKey`.
 */
export type Confirmation =
  | { readonly kind: "valid"; readonly digest: string; readonly expiresAtMs: number }
  | {
      readonly kind: "rejected";
      readonly reason: "expired" | "invalid" | "foreign" | "mismatch";
    };

/** What one submit request brings to the account, whatever kind it is. */
export interface SubmitTerms {
  /** Fingerprint of the request: 16 bytes as a binary string. */
  readonly fingerprint: string;
  readonly confirmation: Confirmation | undefined;
  readonly plan: PlanName;
  readonly overrides?: PlanOverrides | undefined;
  /** Checked where the request arrived: seconds to wait, or undefined within the rate limit. */
  readonly rateRetryAfterSeconds: number | undefined;
}

export interface Submit extends SubmitTerms {
  readonly job: CreateJob;
}

/** Key of a job's id (in bytes) by the request's fingerprint, 16 bytes as a binary string. */
export function fingerprintKey(partition: number, digest: string): Key<string> {
  return createKey(partition, codes.fingerprint, digest);
}
