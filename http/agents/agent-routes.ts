/**
 * Routes for agents' sessions: turns at a price that the customer approved, each with credentials
 * of its own.
 */

import { getIndexOwner } from "../../actors/job/job-index.ts";
import {
  type Session,
  type SessionMessage,
  sessionKey,
  sessionOfOwnerKey,
  type TurnCredential,
} from "../../actors/protocol/session.ts";
import { limits } from "../../config/limits.ts";
import type { TokenScope } from "../../contract/account.ts";
import {
  AgentSessionPage,
  AgentSession as AgentSessionSchema,
  AgentTurn as AgentTurnSchema,
  CeilingRequest,
  CreateSessionRequest,
  CreateTurnRequest,
  FinishTurnRequest,
  InterruptRequest,
} from "../../contract/agent.ts";
import { SseTicket } from "../../contract/job.ts";
import { SessionFrame } from "../../contract/stream.ts";
import { type Id, idAtEnd, idBytes, parseId, partitionOfId } from "../../engine/id.ts";
import { getRange } from "../../engine/key.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { parseOwnId } from "../auth/own-id.ts";
import type { Principal } from "../auth/principal.ts";
import { computeDigest } from "../auth/principals.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { integer, optionalText, ticketParameter } from "../request/query.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import { atTicket, mintTicket, redeemTicket } from "../sign-in/stream-tickets.ts";
import { agentTurnView, readTurn, sessionView } from "./agent-sessions.ts";
import { sessionStream } from "./session-stream.ts";

const sessions = "/v1/agent/sessions";
const oneSession = `${sessions}/{id}`;
const oneTurn = `${oneSession}/turns/{turn_id}`;

export const agentRoutes: readonly Route[] = [
  route("POST", sessions, {
    summary: "Open an agent session",
    answers: { 201: AgentSessionSchema },
    access: "agents",
    rate: "write",
    body: jsonBody<CreateSessionRequest>(CreateSessionRequest, undefined, ["meta"]),
    run: createSession,
  }),
  route("GET", sessions, {
    summary: "List the caller's agent sessions, newest first",
    answers: { 200: AgentSessionPage },
    access: "agents",
    rate: "read",
    query: {
      limit: integer(1, limits.jobs.listMax, limits.jobs.listDefault),
      cursor: optionalText(512),
    },
    run: listSessions,
  }),
  route("GET", oneSession, {
    summary: "Read an agent session with its last turns",
    answers: { 200: AgentSessionSchema },
    access: "agents",
    rate: "read",
    run: async (call) =>
      json(200, await sessionView(call.service, findSession(call), limits.agents.turnsShown)),
  }),
  route("DELETE", oneSession, {
    summary: "Delete an agent session; a running turn ends first",
    answers: { 204: null },
    access: "agents",
    rate: "write",
    run: removeSession,
  }),
  route("POST", `${oneSession}/turns`, {
    summary: "Start a turn, with a credential for the agent",
    answers: { 201: AgentTurnSchema },
    access: "agents",
    rate: "write",
    body: jsonBody<CreateTurnRequest>(CreateTurnRequest),
    run: startTurn,
  }),
  route("GET", oneTurn, {
    summary: "Read a turn",
    answers: { 200: AgentTurnSchema },
    access: "agents",
    rate: "read",
    run: (call) => viewTurn(call, findSession(call).id, getTurnId(call)),
  }),
  route("POST", `${oneTurn}/finish`, {
    summary: "End a turn, with its own credential or the owner's",
    answers: { 200: AgentTurnSchema },
    access: "bearer",
    rate: "write",
    body: jsonBody<FinishTurnRequest>(FinishTurnRequest),
    run: finishTurn,
  }),
  route("POST", `${oneTurn}/ceiling`, {
    summary: "Approve a new price for a running turn",
    answers: { 200: AgentTurnSchema },
    access: "agents",
    rate: "write",
    body: jsonBody<CeilingRequest>(CeilingRequest),
    run: approve,
  }),
  route("POST", `${oneSession}/interrupt`, {
    summary: "Stop the running turn; its jobs continue",
    answers: { 200: AgentTurnSchema },
    access: "agents",
    rate: "write",
    body: jsonBody(InterruptRequest),
    run: interrupt,
  }),
  route("POST", `${oneSession}/events-ticket`, {
    summary: "Mint a ticket for one event stream of a session",
    answers: { 201: SseTicket },
    access: "agents",
    rate: "read",
    run: (call) => mintTicket(call, findSession(call).id),
  }),
  route("GET", `${oneSession}/events`, {
    summary: "Follow a session as an event stream",
    answers: { 200: { frames: SessionFrame } },
    access: "open",
    getPartition: atTicket,
    anyOrigin: true,
    takesHead: false,
    query: { ticket: ticketParameter },
    run: openStream,
  }),
];

/** A session belongs to its user alone, in the context in which it was opened. */
function findSession(call: Call<unknown, unknown>): Session {
  const { service, principal, id } = call;
  const named = requireFound(parseOwnId(principal, id));
  const session = requireFound(service.gateway.read(sessionKey(named)));
  const isOwn = session.scope === principal.scope && session.user === principal.user.id;
  return requireFound(isOwn ? session : undefined);
}

function getTurnId({ ids }: Call<unknown, unknown>): Id {
  return requireFound(parseId(ids[1] ?? ""));
}

async function change(
  { service }: Call<unknown, unknown>,
  session: Id,
  message: SessionMessage,
): Promise<void> {
  expectReply(await service.gateway.ask(sessionKey(session), message, "work"), "done");
}

async function viewTurn(
  { service }: Call<unknown, unknown>,
  session: Id,
  turn: Id,
  credential?: string,
): Promise<Answer> {
  const row = requireFound(readTurn(service, session, turn));
  return json(credential === undefined ? 200 : 201, await agentTurnView(service, row, credential));
}

async function createSession(call: Call<CreateSessionRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const { scope, user } = principal;
  const { title, meta = {} } = body;
  if (JSON.stringify(meta).length > limits.agents.metaBytesMax) {
    const faults = [{ pointer: "/meta", detail: "has more than 16 KiB" }];
    throw new RefusalError({ code: "validation", faults });
  }
  const nowMs = service.clock.nowMs();
  const session: Session = {
    id: service.ids.under(partitionOfId(scope)),
    scope,
    user: user.id,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    turns: 0,
    spent: 0,
  };
  const terms = { title: title ?? `Session ${timestamp(nowMs)}`, meta };
  await change(call, session.id, { kind: "create", session, terms });
  const view = await sessionView(service, session, limits.agents.turnsShown);
  return json(201, view, [["Location", `${service.baseUrl}/agent/sessions/${session.id}`]]);
}

async function listSessions(
  call: Call<unknown, { limit: number; cursor: string | undefined }>,
): Promise<Answer> {
  const { service, principal, query } = call;
  const { scope, user } = principal;
  const bound = `sessions ${scope} ${user.id}`;
  const nowMs = service.clock.nowMs();
  const after = service.cursors.after(query.cursor, bound, nowMs);
  const owner = getIndexOwner(scope, scope === user.id ? undefined : user.id);
  const ranges = await service.gateway.ranges(sessionKey(scope));
  const all = getRange(sessionOfOwnerKey(scope, owner, ""));
  const total = ranges(all, limits.agents.sessionsCountedMax, true).length;
  const end = after === undefined ? all.end : sessionOfOwnerKey(scope, owner, idBytes(after));
  const ids = ranges({ start: all.start, end }, query.limit + 1, true).map(({ key }) =>
    idAtEnd(key),
  );
  const page = ids.slice(0, query.limit);
  const last = ids.length > query.limit ? page.at(-1) : undefined;
  const items = [];
  for (const id of page) {
    const session = service.gateway.read(sessionKey(id));
    if (session !== undefined) items.push(await sessionView(service, session, 0));
  }
  const next = last === undefined ? null : service.cursors.make(last, bound, nowMs);
  return json(200, { items, next_cursor: next, total });
}

async function removeSession(call: Call): Promise<Answer> {
  await change(call, findSession(call).id, { kind: "remove" });
  return { status: 204, headers: [], body: "" };
}

/** An agent must not create credentials, sign in elsewhere or change the organization. */
const withheld: readonly TokenScope[] = ["tokens", "organizations", "agents", "admin"];

async function startTurn(call: Call<CreateTurnRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const { id: session } = findSession(call);
  const { scope, user, credential } = principal;
  const turn = service.ids.under(partitionOfId(scope));
  const secret = Buffer.from([...service.entropy.bytes(32), partitionOfId(scope)]);
  const token = `agt_${secret.toString("base64url")}`;
  const ttlSeconds = body.ttl_seconds ?? limits.agents.ttlSecondsDefault;
  const expiresAtMs = service.clock.nowMs() + ttlSeconds * 1000;
  const scopes = credential.scopes.filter((name) => !withheld.includes(name));
  const granted: TurnCredential = { session, turn, user: user.id, scope, scopes, expiresAtMs };
  await change(call, session, {
    kind: "start_turn",
    turn,
    brief: body.brief,
    ceiling: body.credit_ceiling ?? null,
    expiresAtMs,
    digest: computeDigest(token),
    credential: granted,
  });
  return viewTurn(call, session, turn, token);
}

/** The turn's own credential needs no scope to finish it; any other needs `agents`. */
async function finishTurn(call: Call<FinishTurnRequest>): Promise<Answer> {
  const turn = getTurnId(call);
  const session = isOwnRun(call.principal, turn) ? sessionOfRun(call) : findSession(call).id;
  if (!isOwnRun(call.principal, turn) && !call.principal.credential.scopes.includes("agents"))
    throw new RefusalError({ code: "forbidden", requiredScope: "agents" });
  const { status, summary } = call.body;
  requireFound(readTurn(call.service, session, turn));
  await change(call, session, { kind: "finish", turn, status, summary });
  return viewTurn(call, session, turn);
}

function isOwnRun({ run }: Principal, turn: Id): boolean {
  return run?.turn === turn;
}

function sessionOfRun({ principal, id }: Call<unknown, unknown>): Id {
  const { run } = principal;
  return requireFound(run?.session === parseId(id) ? run?.session : undefined);
}

async function approve(call: Call<CeilingRequest>): Promise<Answer> {
  const { id: session } = findSession(call);
  const turn = getTurnId(call);
  requireFound(readTurn(call.service, session, turn));
  await change(call, session, { kind: "approve", turn, ceiling: call.body.credit_ceiling ?? null });
  return viewTurn(call, session, turn);
}

async function interrupt(call: Call): Promise<Answer> {
  const { id: session } = findSession(call);
  await change(call, session, { kind: "interrupt" });
  const last = requireFound(call.service.gateway.read(sessionKey(session))?.last);
  return viewTurn(call, session, last.turn);
}

async function openStream(call: Call<unknown, { ticket: string | undefined }>): Promise<Answer> {
  const reader = await redeemTicket(call, call.query.ticket);
  return sessionStream(call, requireFound(parseId(call.id)), reader);
}
