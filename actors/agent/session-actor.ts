/**
 * How a session moves.
 *
 *   idle --start_turn--> running --finish, interrupt, expiry--> idle
 *
 * 1. One turn at a time; a turn ends once, and its credential with it.
 * 2. What a turn may spend stands with the account, which accepts and settles; the session tells it
 *    when a run opens, ends or gets another ceiling, and hears of every change.
 * 3. Interrupting stops the turn only; its jobs go on.
 */

import { limits } from "../../config/limits.ts";
import {
  type Actor,
  answer,
  put,
  type RowWrite,
  type Tell,
  type Turn,
  type TurnView,
  tell,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { idBytes } from "../../engine/id.ts";
import { vpartOf } from "../../engine/key.ts";
import { accountKey } from "../account/account-messages.ts";
import { ownerOf } from "../job/job-index.ts";
import { type Refusal, refused } from "../refusal.ts";
import { done as isDone } from "../reply.ts";
import {
  type AgentTurn,
  briefKey,
  type LastTurn,
  type Session,
  type SessionMessage,
  type StartTurn,
  sessionOfOwnerKey,
  sessionTermsKey,
  type TurnStatus,
  turnCredentialKey,
  turnKey,
} from "./session.ts";

type SessionTurn = Turn<Session, never>;
type SessionContext = TurnView<ReplyTo<SessionMessage>>;

export const sessionActor: Actor<Session, SessionMessage, never> = {
  kind: "session",
  decide(session, message, turn) {
    if (message.kind === "create") return create(session, message, turn);
    if (session === undefined) return refuse(undefined, { code: "not_found" }, turn);
    switch (message.kind) {
      case "start_turn":
        return start(session, message, turn);
      case "finish":
        return finish(session, message, turn);
      case "interrupt":
        return interrupt(session, turn);
      case "approve":
        return approve(session, message, turn);
      case "spent":
        return spend(session, message, turn);
      case "remove":
        return remove(session, turn);
      case "due":
        return sweep(session, turn);
    }
  },
  dueAt: ({ last }) => (last?.status === "running" ? last.expiresAtMs : undefined),
};

function refuse(head: Session | undefined, refusal: Refusal, turn: SessionContext): SessionTurn {
  return { head, rows: [], replies: answer(turn, refused(refusal)), effects: [] };
}

function done(
  head: Session | undefined,
  turn: SessionContext,
  rows: readonly RowWrite[] = [],
  effects: readonly Tell[] = [],
): SessionTurn {
  return { head, rows, replies: answer(turn, isDone), effects };
}

function create(
  session: Session | undefined,
  message: Extract<SessionMessage, { kind: "create" }>,
  turn: SessionContext,
): SessionTurn {
  if (session !== undefined) return done(session, turn);
  const { id } = message.session;
  return done(message.session, turn, [
    put(sessionTermsKey(id), message.terms),
    put(listingKey(message.session), ""),
  ]);
}

/** Sessions are a user's own, within each context. */
function listingKey({ id, scope, user }: Session) {
  const owner = ownerOf(scope, scope === user ? undefined : user);
  return sessionOfOwnerKey(scope, owner, idBytes(id));
}

function start(session: Session, message: StartTurn, turn: SessionContext): SessionTurn {
  if (session.last?.status === "running")
    return refuse(
      session,
      { code: "conflict", detail: "A turn of this session is running." },
      turn,
    );
  const { turn: id, brief, ceiling, expiresAtMs, digest, credential } = message;
  const row: AgentTurn = {
    id,
    session: session.id,
    status: "running",
    ceiling,
    committed: 0,
    startedAtMs: turn.atMs,
    expiresAtMs,
  };
  const last: LastTurn = {
    turn: id,
    status: "running",
    expiresAtMs,
    ceiling,
    committed: 0,
    recentJobs: [],
  };
  const rows = [
    put(turnKey(session.id, id), row),
    put(briefKey(id), brief),
    put(turnCredentialKey(vpartOf(turn.self), digest), credential),
  ];
  const opened = { kind: "run_changed", turn: id, ceiling, isEnded: false } as const;
  const next = { ...session, turns: session.turns + 1, updatedAtMs: turn.atMs, last };
  return done(next, turn, rows, [tell(accountKey(session.scope), opened)]);
}

function finish(
  session: Session,
  message: Extract<SessionMessage, { kind: "finish" }>,
  turn: SessionContext,
): SessionTurn {
  const { last } = session;
  if (last?.turn !== message.turn || last.status !== "running")
    return refuse(session, { code: "run_ended" }, turn);
  return end(session, last, message.status, turn, message.summary);
}

function interrupt(session: Session, turn: SessionContext): SessionTurn {
  const { last } = session;
  if (last === undefined)
    return refuse(
      session,
      { code: "conflict", detail: "No turn of this session started yet." },
      turn,
    );
  return last.status === "running" ? end(session, last, "stopped", turn) : done(session, turn);
}

function sweep(session: Session, turn: SessionContext): SessionTurn {
  const { last } = session;
  const isDue = last?.status === "running" && turn.atMs >= last.expiresAtMs;
  return isDue ? end(session, last, "swept", turn) : done(session, turn);
}

function end(
  session: Session,
  last: LastTurn,
  status: Exclude<TurnStatus, "running">,
  turn: SessionContext,
  summary?: string,
): SessionTurn {
  const key = turnKey(session.id, last.turn);
  const row = turn.get(key);
  const ended = row && {
    ...row,
    status,
    endedAtMs: turn.atMs,
    ...(summary === undefined ? {} : { summary }),
  };
  const next = { ...session, updatedAtMs: turn.atMs, last: { ...last, status } };
  const closed = {
    kind: "run_changed",
    turn: last.turn,
    ceiling: last.ceiling,
    isEnded: true,
  } as const;
  const rows = ended === undefined ? [] : [put(key, ended)];
  return done(next, turn, rows, [tell(accountKey(session.scope), closed)]);
}

function approve(
  session: Session,
  { turn: id, ceiling }: Extract<SessionMessage, { kind: "approve" }>,
  turn: SessionContext,
): SessionTurn {
  const { last } = session;
  if (last?.turn !== id || last.status !== "running")
    return refuse(session, { code: "conflict", detail: "This turn has ended." }, turn);
  const key = turnKey(session.id, id);
  const row = turn.get(key);
  const next = { ...session, updatedAtMs: turn.atMs, last: { ...last, ceiling } };
  const changed = { kind: "run_changed", turn: id, ceiling, isEnded: false } as const;
  const rows = row === undefined ? [] : [put(key, { ...row, ceiling })];
  return done(next, turn, rows, [tell(accountKey(session.scope), changed)]);
}

/** Jobs of a turn that has ended settle late; the turn's own row follows them all the same. */
function spend(
  session: Session,
  { turn: id, committed, job }: Extract<SessionMessage, { kind: "spent" }>,
  turn: SessionContext,
): SessionTurn {
  const key = turnKey(session.id, id);
  const row = turn.get(key);
  if (row === undefined) return done(session, turn);
  const spent = session.spent + committed - row.committed;
  const next = { ...session, spent, updatedAtMs: turn.atMs };
  const rows = [put(key, { ...row, committed })];
  if (session.last?.turn !== id) return done(next, turn, rows);
  const { recentJobs: before } = session.last;
  const recentJobs =
    job === undefined ? before : [...before, job].slice(-limits.agents.recentJobsMax);
  return done({ ...next, last: { ...session.last, committed, recentJobs } }, turn, rows);
}

function remove(session: Session, turn: SessionContext): SessionTurn {
  const { last } = session;
  const ended = last?.status === "running" ? end(session, last, "stopped", turn) : undefined;
  const rows: RowWrite[] = [
    ...(ended?.rows ?? []),
    { key: sessionTermsKey(session.id), value: undefined },
    { key: listingKey(session), value: undefined },
  ];
  const told = ended?.effects.filter((effect) => effect.kind === "tell") ?? [];
  return done(undefined, turn, rows, told);
}
