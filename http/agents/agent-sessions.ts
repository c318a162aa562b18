/** Agents' sessions and turns as clients see them. */

import { jobsOfTurnKey } from "../../actors/job/job-index.ts";
import {
  type AgentTurn,
  briefKey,
  type Session,
  sessionTermsKey,
  turnKey,
  turnsKey,
} from "../../actors/protocol/session.ts";
import { limits } from "../../config/limits.ts";
import type {
  AgentTurn as AgentTurnView,
  AgentSession as SessionView,
} from "../../contract/agent.ts";
import { type Id, idAtEnd } from "../../engine/id.ts";
import { getRange } from "../../engine/key.ts";
import { timestamp } from "../../engine/timestamp.ts";
import type { Service } from "../service.ts";

export async function agentTurnView(
  { gateway }: Service,
  turn: AgentTurn,
  credential?: string,
): Promise<AgentTurnView> {
  const range = getRange(jobsOfTurnKey(turn.id, ""));
  const jobs = await gateway.range(range, limits.agents.jobsShownMax, false);
  const view: AgentTurnView = {
    id: turn.id,
    session_id: turn.session,
    brief: gateway.read(briefKey(turn.id)) ?? "",
    status: turn.status,
    credit_ceiling: turn.ceiling,
    credits_committed: turn.committed,
    job_ids: jobs.map(({ key }) => idAtEnd(key)),
    summary: turn.summary ?? null,
    started_at: timestamp(turn.startedAtMs),
    ended_at: turn.endedAtMs === undefined ? null : timestamp(turn.endedAtMs),
    expires_at: timestamp(turn.expiresAtMs),
  };
  if (credential !== undefined) view.credential = credential;
  return view;
}

/** Leaves out the list of turns when `turnsShown` is 0. */
export async function sessionView(
  service: Service,
  session: Session,
  turnsShown: number,
): Promise<SessionView> {
  const { gateway } = service;
  const { title = "", meta = {} } = gateway.read(sessionTermsKey(session.id)) ?? {};
  const { last } = session;
  const running = last?.status === "running" ? readTurn(service, session.id, last.turn) : undefined;
  const view: SessionView = {
    id: session.id,
    title,
    status: running === undefined ? "idle" : "running",
    current_turn: running === undefined ? null : await agentTurnView(service, running),
    credits_spent: session.spent,
    created_at: timestamp(session.createdAtMs),
    updated_at: timestamp(session.updatedAtMs),
    user_id: session.user,
    meta,
  };
  if (turnsShown === 0) return view;
  const rows = await gateway.range(getRange(turnsKey(session.id)), turnsShown, true);
  view.turns = [];
  for (const row of rows) view.turns.push(await agentTurnView(service, gateway.row(row)));
  return view;
}

export function readTurn({ gateway }: Service, session: Id, turn: Id): AgentTurn | undefined {
  return gateway.read(turnKey(session, turn));
}
