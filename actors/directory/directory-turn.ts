import type { RowWrite, Tell, Turn, TurnView } from "../../engine/actor.ts";
import { type Refusal, refused } from "../refusal.ts";
import { type AuditNote, appendAudit } from "./audit.ts";
import type { Directory } from "./directory.ts";

export type DirectoryTurn = Turn<Directory, never>;

/** What a turn does that changes the directory. */
interface Change {
  readonly rows: readonly RowWrite[];
  readonly tells?: readonly Tell[];
  /** Undefined when somebody who is told replies. */
  readonly reply?: unknown;
  readonly audit?: AuditNote | undefined;
  readonly head?: Partial<Directory>;
}

export function changed(head: Directory, turn: TurnView, change: Change): DirectoryTurn {
  const { rows, tells = [], reply, audit } = change;
  const next = { ...head, ...change.head, version: head.version + 1 };
  const replies = reply === undefined ? [] : replyTo(turn, reply);
  if (audit === undefined) return { head: next, rows, replies, effects: tells };
  const noted = appendAudit(head, audit, turn);
  return {
    head: { ...next, audit: noted.audit },
    rows: [...rows, ...noted.rows],
    replies,
    effects: tells,
  };
}

/** Nothing changes. */
export function answered(
  head: Directory | undefined,
  turn: TurnView,
  reply: unknown,
): Turn<Directory, never> {
  return { head, rows: [], replies: replyTo(turn, reply), effects: [] };
}

export function refuse(head: Directory, turn: TurnView, refusal: Refusal): DirectoryTurn {
  return answered(head, turn, refused(refusal));
}

export function conflict(head: Directory, turn: TurnView, detail: string): DirectoryTurn {
  return refuse(head, turn, { code: "conflict", detail });
}

function replyTo({ request }: TurnView, reply: unknown) {
  return request === undefined ? [] : [{ to: request, reply }];
}
