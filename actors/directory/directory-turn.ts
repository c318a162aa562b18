import { answer, type RowWrite, type Tell, type Turn, type TurnView } from "../../engine/actor.ts";
import { type Refusal, type Refused, refused } from "../refusal.ts";
import { type AuditNote, appendAudit } from "./audit.ts";
import type { Directory } from "./directory.ts";

export type DirectoryTurn = Turn<Directory, never>;

/** What a turn does that changes the directory. */
interface Change<R> {
  readonly rows: readonly RowWrite[];
  readonly tells?: readonly Tell[];
  /** Undefined when somebody who is told replies. */
  readonly reply?: R;
  readonly audit?: AuditNote | undefined;
  readonly head?: Partial<Directory>;
}

export function changed<R>(
  head: Directory,
  turn: TurnView<R>,
  change: Change<NoInfer<R>>,
): DirectoryTurn {
  const { rows, tells = [], reply, audit } = change;
  const next = { ...head, ...change.head, version: head.version + 1 };
  const replies = reply === undefined ? [] : answer(turn, reply);
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
export function answered<R>(head: Directory, turn: TurnView<R>, reply: NoInfer<R>): DirectoryTurn {
  return { head, rows: [], replies: answer(turn, reply), effects: [] };
}

export function refuse(head: Directory, turn: TurnView<Refused>, refusal: Refusal): DirectoryTurn {
  return answered(head, turn, refused(refusal));
}

export function conflict(head: Directory, turn: TurnView<Refused>, detail: string): DirectoryTurn {
  return refuse(head, turn, { code: "conflict", detail });
}
