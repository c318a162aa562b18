/** What a submit brings to its account beside the job: how it is known again, paid and bounded. */

import type { PlanName, PlanOverrides } from "../../config/plans.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";
import type { CreateJob } from "./job.ts";

/**
 * What was found of a confirmation token where the request arrived; `digest` as in `tombstoneKey`.
 */
export type Confirmation =
  | { readonly kind: "valid"; readonly digest: string; readonly expiresAtMs: number }
  | {
      readonly kind: "rejected";
      readonly reason: "expired" | "invalid" | "foreign" | "mismatch";
    };

/** What one request of a submit brings, whatever it asks for. */
export interface SubmitTerms {
  /** 16 bytes as a binary string. */
  readonly fingerprint: string;
  readonly confirmation: Confirmation | undefined;
  readonly plan: PlanName;
  readonly overrides?: PlanOverrides | undefined;
  /** Counted where the request arrived: when it may come again, or undefined when it is in time. */
  readonly rateRetryAfterSeconds: number | undefined;
}

export interface Submit extends SubmitTerms {
  readonly job: CreateJob;
}

/** `digest` is 16 bytes as a binary string; the entry is the job's id in bytes. */
export function fingerprintKey(partition: number, digest: string): Key<string> {
  return createKey(partition, codes.fingerprint, digest);
}
