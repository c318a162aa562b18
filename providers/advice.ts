/**
 * Optional parts of providers' answers: progress, logs, metrics, reasons. A malformed one is
 * dropped, and the job goes on.
 */
import { check, Type } from "../config/schema.ts";

export type Members = Readonly<Record<string, unknown>>;

const isMembers = check<Members>(Type.Record(Type.String(), Type.Unknown()));

/** Returns the members of an object, and no members for any other value. */
export function readMembers(value: unknown): Members {
  return isMembers(value) ? value : {};
}

export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a value that is a finite, non-negative number; undefined for any other. */
export function readAmount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
