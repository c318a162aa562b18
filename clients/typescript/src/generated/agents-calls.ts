/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type {
  AgentSession,
  AgentSessionPage,
  AgentTurn,
  AgentsListSessionsQuery,
  CeilingRequest,
  CreateSessionRequest,
  CreateTurnRequest,
  FinishTurnRequest,
  InterruptRequest,
  SseTicket,
} from "./models.ts";

export class AgentsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Open an agent session. */
  createSession(
    request: CreateSessionRequest = {},
    options: CallOptions = {},
  ): Promise<AgentSession> {
    return this.caller.json<AgentSession>(
      { method: "POST", path: "/agent/sessions", body: request, isRepeatable: false },
      options,
    );
  }

  /** Read an agent session with its last turns. */
  getSession(id: string, options: CallOptions = {}): Promise<AgentSession> {
    return this.caller.json<AgentSession>(
      { method: "GET", path: `/agent/sessions/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** List the caller's agent sessions, newest first. */
  listSessions(
    query: AgentsListSessionsQuery = {},
    options: CallOptions = {},
  ): Promise<AgentSessionPage> {
    return this.caller.json<AgentSessionPage>(
      { method: "GET", path: "/agent/sessions", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Delete an agent session; a running turn ends first. */
  endSession(id: string, options: CallOptions = {}): Promise<undefined> {
    return this.caller.end(
      { method: "DELETE", path: `/agent/sessions/${segment(id)}`, isRepeatable: false },
      options,
    );
  }

  /** Start a turn, with a credential for the agent. */
  startTurn(
    id: string,
    request: CreateTurnRequest,
    options: CallOptions = {},
  ): Promise<AgentTurn> {
    return this.caller.json<AgentTurn>(
      {
        method: "POST",
        path: `/agent/sessions/${segment(id)}/turns`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Read a turn. */
  getTurn(id: string, turnId: string, options: CallOptions = {}): Promise<AgentTurn> {
    return this.caller.json<AgentTurn>(
      {
        method: "GET",
        path: `/agent/sessions/${segment(id)}/turns/${segment(turnId)}`,
        isRepeatable: true,
      },
      options,
    );
  }

  /** End a turn, with its own credential or the owner's. */
  finishTurn(
    id: string,
    turnId: string,
    request: FinishTurnRequest,
    options: CallOptions = {},
  ): Promise<AgentTurn> {
    return this.caller.json<AgentTurn>(
      {
        method: "POST",
        path: `/agent/sessions/${segment(id)}/turns/${segment(turnId)}/finish`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Approve a new price for a running turn. */
  setCeiling(
    id: string,
    turnId: string,
    request: CeilingRequest = {},
    options: CallOptions = {},
  ): Promise<AgentTurn> {
    return this.caller.json<AgentTurn>(
      {
        method: "POST",
        path: `/agent/sessions/${segment(id)}/turns/${segment(turnId)}/ceiling`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Stop the running turn; its jobs continue. */
  interrupt(
    id: string,
    request: InterruptRequest = {},
    options: CallOptions = {},
  ): Promise<AgentTurn> {
    return this.caller.json<AgentTurn>(
      {
        method: "POST",
        path: `/agent/sessions/${segment(id)}/interrupt`,
        body: request,
        isRepeatable: false,
      },
      options,
    );
  }

  /** Mint a ticket for one event stream of a session. */
  ticket(id: string, options: CallOptions = {}): Promise<SseTicket> {
    return this.caller.json<SseTicket>(
      { method: "POST", path: `/agent/sessions/${segment(id)}/events-ticket`, isRepeatable: true },
      options,
    );
  }
}
