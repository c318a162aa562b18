import { type Static, Type } from "../config/schema.ts";
import { Asset } from "./asset.ts";
import { nullable, Timestamp, Uuid } from "./common.ts";
import { JobFailure, jobStatuses } from "./job.ts";

export const OutputSetMember = Type.Object(
  {
    label: Type.String(),
    job_id: nullable(Uuid),
    status: Type.Enum([...jobStatuses, "refused", "not_submitted"]),
    asset: Type.Optional(Asset),
    failure: Type.Optional(JobFailure),
  },
  { title: "OutputSetMember" },
);
export type OutputSetMember = Static<typeof OutputSetMember>;

export const OutputSetProblem = Type.Object(
  {
    label: Type.String(),
    code: nullable(Type.String()),
    status: Type.Integer(),
    title: Type.String(),
    detail: Type.String(),
  },
  { title: "OutputSetProblem" },
);

const Count = Type.Integer({ minimum: 0 });

export const OutputSet = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    status: Type.Enum(["generating", "ready", "partial", "failed"]),
    model: Type.String(),
    members: Type.Array(OutputSetMember),
    problems: Type.Array(OutputSetProblem),
    counts: Type.Object({
      total: Count,
      accepted: Count,
      queued: Count,
      running: Count,
      succeeded: Count,
      failed: Count,
      canceled: Count,
      refused: Count,
    }),
    credits_held: Count,
    credits_charged: Count,
    credits_refunded: Count,
    created_at: Timestamp,
    updated_at: Timestamp,
    completed_at: nullable(Timestamp),
    user_id: Uuid,
  },
  { title: "OutputSet" },
);
export type OutputSet = Static<typeof OutputSet>;

export const OutputSetPage = Type.Object(
  {
    items: Type.Array(OutputSet),
    next_cursor: nullable(Type.String()),
    total: Type.Integer(),
  },
  { title: "OutputSetPage" },
);
