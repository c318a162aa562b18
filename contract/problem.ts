import { type Static, Type } from "../config/schema.ts";

const Text = Type.Optional(Type.String());
const Count = Type.Optional(Type.Integer());

/** Additional members of individual problem types. */
const details = {
  job_id: Text,
  job_status: Text,
  set_id: Text,
  render_id: Text,
  required_scope: Text,
  required_role: Text,
  required_plan: Text,
  credits_required: Count,
  balance_credits: Count,
  budget_credits: Count,
  budget_used_credits: Count,
  budget_resets_at: Type.Optional(Type.Union([Type.String({ format: "date-time" }), Type.Null()])),
  run_total_credits: Count,
  credit_ceiling: Count,
  reason: Text,
  concurrent_max: Count,
  concurrent_active: Count,
  quota: Count,
  used: Count,
  limit_bytes: Count,
};

/** The problem object (RFC 9457) of every refused request. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Optional(Type.String()),
    detail: Type.Optional(Type.String()),
    instance: Type.Optional(Type.String()),
    request_id: Type.Optional(Type.String()),
    ...details,
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() })),
    ),
  },
  { title: "Problem" },
);
export type Problem = Static<typeof Problem>;
