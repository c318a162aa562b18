/**
 * How a session moves.
 *
 *   idle --start_turn--> running --finish, interrupt, expiry--> idle
 *
 * 1. One turn at a time; a turn ends once, and its credential with it.
 * 2. The account keeps what a turn may spend, since it accepts and settles. The session tells it
 *    when a run opens, ends or gets another ceiling, and is notified of every change.
 * 3. Interrupting stops the turn only; its jobs go on.
 */

import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { TurnStatus } from "../../contract/agent.ts";
import {
  type Actor,
  answer,
  type Context,
  type Decision,
  decision,
  put,
  type RowWrite,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { idBytes } from "../../engine/id.ts";
import { getPartition } from "../../engine/key.ts";
import { getIndexOwner } from "../job/job-index.ts";
import { accountKey } from "../protocol/account-messages.ts";
import {
  type AgentTurn,
  briefKey,
  type LastTurn,
  type Session,
  type SessionMessage,
  type StartTurn,
  sessionOfOwnerKey,
  sessionTermsKey,
  turnCredentialKey,
  turnKey,
} from "../protocol/session.ts";
import { createRefused, type Refusal } from "../refusal.ts";
import { done as isDone } from "../reply.ts";

type SessionDecision = Decision<Session, never>;
type SessionContext = Context<ReplyTo<SessionMessage>>;

export const sessionActor: Actor<Session, SessionMessage, never> = {
  kind: "session",
  decide(session, message, ctx) {
    if (message.kind === "create") return create(session, message, ctx);
    if (session === undefined) return refuse(undefined, { code: "not_found" }, ctx);
    switch (message.kind) {
      case "start_turn":
        return start(session, message, ctx);
      case "finish":
        return finish(session, message, ctx);
      case "interrupt":
        return interrupt(session, ctx);
      case "approve":
        return approve(session, message, ctx);
      case "spent":
        return spend(session, message, ctx);
      case "remove":
        return remove(session, ctx);
      case "due":
        return sweep(session, ctx);
    }
  },
  dueAt: ({ last }) => (last?.status === "running" ? last.expiresAtMs : undefined),
};

function refuse(head: Session | undefined, refusal: Refusal, ctx: SessionContext): SessionDecision {
  return decision(head, { replies: answer(ctx, createRefused(refusal)) });
}

function answerDone(
  head: Session | undefined,
  ctx: SessionContext,
  rows: readonly RowWrite[] = [],
  effects: readonly Tell[] = [],
): SessionDecision {
  return decision(head, { rows, replies: answer(ctx, isDone), effects });
}

function create(
  session: Session | undefined,
  message: Extract<SessionMessage, { kind: "create" }>,
  ctx: SessionContext,
): SessionDecision {
  if (session !== undefined) return answerDone(session, ctx);
  const { id } = message.session;
  return answerDone(message.session, ctx, [
    put(sessionTermsKey(id), message.terms),
    put(listingKey(message.session), ""),
  ]);
}

/** Key of a session in the list of its user's sessions, one list for each context. */
function listingKey({ id, scope, user }: Session) {
  const owner = getIndexOwner(scope, scope === user ? undefined : user);
  return sessionOfOwnerKey(scope, owner, idBytes(id));
}

function start(session: Session, message: StartTurn, ctx: SessionContext): SessionDecision {
  if (session.last?.status === "running")
    return refuse(
      session,
      { code: "conflict", detail: "A turn of this session is already running." },
      ctx,
    );
  const { turn: id, brief, ceiling, expiresAtMs, digest, credential } = message;
  const row: AgentTurn = {
    id,
    session: session.id,
    status: "running",
    ceiling,
    committed: 0,
    startedAtMs: ctx.atMs,
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
    put(turnCredentialKey(getPartition(ctx.self), digest), credential),
  ];
  const opened = { kind: "run_changed", turn: id, ceiling, isEnded: false } as const;
  const next = { ...session, turns: session.turns + 1, updatedAtMs: ctx.atMs, last };
  return answerDone(next, ctx, rows, [tell(accountKey(session.scope), opened)]);
}

function finish(
  session: Session,
  message: Extract<SessionMessage, { kind: "finish" }>,
  ctx: SessionContext,
): SessionDecision {
  const { last } = session;
  if (last?.turn !== message.turn || last.status !== "running")
    return refuse(session, { code: "run_ended" }, ctx);
  return end(session, last, message.status, ctx, message.summary);
}

function interrupt(session: Session, ctx: SessionContext): SessionDecision {
  const { last } = session;
  if (last === undefined)
    return refuse(
      session,
      { code: "conflict", detail: "No turn of this session has started yet." },
      ctx,
    );
  return last.status === "running" ? end(session, last, "stopped", ctx) : answerDone(session, ctx);
}

function sweep(session: Session, ctx: SessionContext): SessionDecision {
  const { last } = session;
  const isDue = last?.status === "running" && ctx.atMs >= last.expiresAtMs;
  return isDue ? end(session, last, "swept", ctx) : answerDone(session, ctx);
}

function end(
  session: Session,
  last: LastTurn,
  status: Exclude<TurnStatus, "running">,
  ctx: SessionContext,
  summary?: string,
): SessionDecision {
  const key = turnKey(session.id, last.turn);
  const row = ctx.get(key);
  const ended = row && {
    ...row,
    status,
    endedAtMs: ctx.atMs,
    ...omitUndefined({ summary }),
  };
  const next = { ...session, updatedAtMs: ctx.atMs, last: { ...last, status } };
  const closed = {
    kind: "run_changed",
    turn: last.turn,
    ceiling: last.ceiling,
    isEnded: true,
  } as const;
  const rows = ended === undefined ? [] : [put(key, ended)];
  return answerDone(next, ctx, rows, [tell(accountKey(session.scope), closed)]);
}

function approve(
  session: Session,
  { turn: id, ceiling }: Extract<SessionMessage, { kind: "approve" }>,
  ctx: SessionContext,
): SessionDecision {
  const { last } = session;
  if (last?.turn !== id || last.status !== "running")
    return refuse(session, { code: "conflict", detail: "This turn has ended." }, ctx);
  const key = turnKey(session.id, id);
  const row = ctx.get(key);
  const next = { ...session, updatedAtMs: ctx.atMs, last: { ...last, ceiling } };
  const changed = { kind: "run_changed", turn: id, ceiling, isEnded: false } as const;
  const rows = row === undefined ? [] : [put(key, { ...row, ceiling })];
  return answerDone(next, ctx, rows, [tell(accountKey(session.scope), changed)]);
}

/** Records what a turn has spent, even after its end, since its jobs may settle later. */
function spend(
  session: Session,
  { turn: id, committed, job }: Extract<SessionMessage, { kind: "spent" }>,
  ctx: SessionContext,
): SessionDecision {
  const key = turnKey(session.id, id);
  const row = ctx.get(key);
  if (row === undefined) return answerDone(session, ctx);
  const spent = session.spent + committed - row.committed;
  const next = { ...session, spent, updatedAtMs: ctx.atMs };
  const rows = [put(key, { ...row, committed })];
  if (session.last?.turn !== id) return answerDone(next, ctx, rows);
  const { recentJobs: before } = session.last;
  const recentJobs =
    job === undefined ? before : [...before, job].slice(-limits.agents.recentJobsMax);
  return answerDone({ ...next, last: { ...session.last, committed, recentJobs } }, ctx, rows);
}

function remove(session: Session, ctx: SessionContext): SessionDecision {
  const { last } = session;
  const ended = last?.status === "running" ? end(session, last, "stopped", ctx) : undefined;
  const rows: RowWrite[] = [
    ...(ended?.rows ?? []),
    { key: sessionTermsKey(session.id), value: undefined },
    { key: listingKey(session), value: undefined },
  ];
  const told = ended?.effects.filter((effect) => effect.kind === "tell") ?? [];
  return answerDone(undefined, ctx, rows, told);
}
