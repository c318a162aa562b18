import { type Static, Type } from "../config/schema.ts";
import { nullable, OneLine, strict, Timestamp, Uuid } from "./common.ts";

export const turnStatuses = ["running", "finished", "failed", "stopped", "swept"] as const;
export type TurnStatus = (typeof turnStatuses)[number];

const Ceiling = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 });

export const CreateSessionRequest = strict(
  {
    title: Type.Optional(OneLine(200)),
    meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  "CreateSessionRequest",
);
export type CreateSessionRequest = Static<typeof CreateSessionRequest>;

export const CreateTurnRequest = strict(
  {
    brief: Type.String({ minLength: 1, maxLength: 20_000 }),
    credit_ceiling: Type.Optional(Ceiling),
    ttl_seconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 86_400 })),
  },
  "CreateTurnRequest",
);
export type CreateTurnRequest = Static<typeof CreateTurnRequest>;

export const FinishTurnRequest = strict(
  {
    status: Type.Enum(["finished", "failed"]),
    summary: Type.Optional(Type.String({ maxLength: 20_000 })),
  },
  "FinishTurnRequest",
);
export type FinishTurnRequest = Static<typeof FinishTurnRequest>;

/** Null lifts the ceiling, so it differs from an absent member here. */
export const CeilingRequest = strict({ credit_ceiling: Type.Optional(Ceiling) }, "CeilingRequest");
export type CeilingRequest = Static<typeof CeilingRequest>;

export const InterruptRequest = strict(
  { reason: Type.Optional(Type.String({ maxLength: 2_000 })) },
  "InterruptRequest",
);

export const AgentTurn = Type.Object(
  {
    id: Uuid,
    session_id: Uuid,
    brief: Type.String(),
    status: Type.Enum([...turnStatuses]),
    credit_ceiling: nullable(Type.Integer()),
    credits_committed: Type.Integer(),
    job_ids: Type.Array(Uuid),
    summary: nullable(Type.String()),
    started_at: Timestamp,
    ended_at: nullable(Timestamp),
    expires_at: Timestamp,
    credential: Type.Optional(Type.String()),
  },
  { title: "AgentTurn" },
);
export type AgentTurn = Static<typeof AgentTurn>;

export const AgentSession = Type.Object(
  {
    id: Uuid,
    title: Type.String(),
    status: Type.Enum(["idle", "running"]),
    current_turn: nullable(AgentTurn),
    turns: Type.Optional(Type.Array(AgentTurn)),
    credits_spent: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
    user_id: Uuid,
    meta: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: "AgentSession" },
);
export type AgentSession = Static<typeof AgentSession>;

export const AgentSessionPage = Type.Object(
  {
    items: Type.Array(AgentSession),
    next_cursor: nullable(Type.String()),
    total: Type.Integer(),
  },
  { title: "AgentSessionPage" },
);
