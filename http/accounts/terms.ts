import type { PlanOverrides } from "../../config/plans.ts";
import type { PatchTermsRequest } from "../../contract/admin.ts";

/** The present overrides with the requested changes; null restores the plan's limit. */
export function mergeOverrides(
  before: PlanOverrides | undefined,
  asked: NonNullable<PatchTermsRequest["limits"]>,
): PlanOverrides {
  const {
    concurrent_max = before?.concurrentMax,
    generations_per_day = before?.generationsPerDay,
    storage_bytes = before?.storedBytes,
  } = asked;
  return {
    ...(typeof concurrent_max === "number" ? { concurrentMax: concurrent_max } : {}),
    ...(typeof generations_per_day === "number" ? { generationsPerDay: generations_per_day } : {}),
    ...(typeof storage_bytes === "number" ? { storedBytes: storage_bytes } : {}),
  };
}
