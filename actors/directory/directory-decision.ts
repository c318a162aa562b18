import {
  answer,
  type Context,
  type Decision,
  decision,
  type RowWrite,
  type Tell,
} from "../../engine/actor.ts";
import { createRefused, type Refusal, type Refused } from "../refusal.ts";
import { type AuditNote, appendAudit } from "./audit.ts";
import type { Directory } from "./directory.ts";

export type DirectoryDecision = Decision<Directory, never>;

/** What a step that changes the directory writes, sends and replies. */
interface Change<R> {
  readonly rows: readonly RowWrite[];
  readonly tells?: readonly Tell[];
  /** The reply, or undefined when another actor replies. */
  readonly reply?: R;
  readonly audit?: AuditNote | undefined;
  readonly head?: Partial<Directory>;
}

export function changeDirectory<R>(
  head: Directory,
  ctx: Context<R>,
  change: Change<NoInfer<R>>,
): DirectoryDecision {
  const { rows, tells = [], reply, audit } = change;
  const next = { ...head, ...change.head, version: head.version + 1 };
  const replies = reply === undefined ? [] : answer(ctx, reply);
  if (audit === undefined) return decision(next, { rows, replies, effects: tells });
  const noted = appendAudit(head, audit, ctx);
  return decision(
    { ...next, audit: noted.audit },
    { rows: [...rows, ...noted.rows], replies, effects: tells },
  );
}

/** Replies without changing the directory. */
export function answerWith<R>(
  head: Directory,
  ctx: Context<R>,
  reply: NoInfer<R>,
): DirectoryDecision {
  return decision(head, { replies: answer(ctx, reply) });
}

export function refuse(
  head: Directory,
  ctx: Context<Refused>,
  refusal: Refusal,
): DirectoryDecision {
  return answerWith(head, ctx, createRefused(refusal));
}

export function conflict(
  head: Directory,
  ctx: Context<Refused>,
  detail: string,
): DirectoryDecision {
  return refuse(head, ctx, { code: "conflict", detail });
}
