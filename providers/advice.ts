/**
 * What a provider says beside what a result needs: progress, logs, metrics, reasons. Where it is
 * odd it is dropped, and the job goes on.
 */
import { check, Type } from "../config/schema.ts";

export type Members = Readonly<Record<string, unknown>>;

const isMembers = check<Members>(Type.Record(Type.String(), Type.Unknown()));

/** The members of an object; none of anything else. */
export function readMembers(value: unknown): Members {
  return isMembers(value) ? value : {};
}

export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A number that something can have an amount of. */
export function readAmount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
