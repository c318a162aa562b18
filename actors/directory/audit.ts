/** The audit log: rows that say who changed what, append-only and kept for a number of days. */

import { limits } from "../../config/limits.ts";
import { type Context, put, type RowWrite } from "../../engine/actor.ts";
import { createKey, encodeOrderedNumber, type Key } from "../../engine/key.ts";
import { codes } from "../table-codes.ts";
import type { Directory } from "./directory.ts";

/** What the audit log records of a change. */
export interface AuditNote {
  /** Id of the user who made the change. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly requestId: string;
  readonly address: string;
}

export interface AuditRow extends AuditNote {
  readonly atMs: number;
}

const keptMs = limits.admin.auditDays * 86_400_000;

/** Appends a row and deletes up to two expired ones, so the log shrinks again after a busy time. */
export function appendAudit(
  head: Directory,
  note: AuditNote,
  ctx: Context,
): { readonly audit: NonNullable<Directory["audit"]>; readonly rows: readonly RowWrite[] } {
  const { first, next } = head.audit ?? { first: 0, next: 0 };
  const rows: RowWrite[] = [put(auditKey(next), { ...note, atMs: ctx.atMs })];
  let oldest = first;
  while (oldest < first + 2 && isStale(ctx, oldest)) {
    rows.push({ key: auditKey(oldest), value: undefined });
    oldest++;
  }
  return { audit: { first: oldest, next: next + 1 }, rows };
}

function isStale(ctx: Context, entry: number): boolean {
  const row = ctx.get(auditKey(entry));
  return row !== undefined && row.atMs < ctx.atMs - keptMs;
}

export function auditKey(entry: number): Key<AuditRow> {
  return createKey(0, codes.audit, encodeOrderedNumber(entry));
}
