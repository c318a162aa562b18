import { limits } from "../config/limits.ts";
import { type Static, Type } from "../config/schema.ts";
import { Asset } from "./asset.ts";
import { Modality, nullable, strict, Timestamp, Uuid } from "./common.ts";
import { Problem } from "./problem.ts";

export const jobStatuses = ["queued", "running", "succeeded", "failed", "canceled"] as const;
export const JobStatus = Type.Enum([...jobStatuses], { title: "JobStatus" });
export type JobStatus = Static<typeof JobStatus>;

export const failureKinds = ["error", "moderated", "timeout"] as const;
export const failureCodes = [
  "job_failed",
  "rate_limit",
  "prompt_nsfw",
  "ip_detected",
  "timeout",
] as const;

export const JobFailure = Type.Object(
  {
    code: Type.Optional(
      Type.String({
        description: "Treat an unknown code as job_failed.",
        examples: [...failureCodes],
      }),
    ),
    kind: Type.Enum([...failureKinds]),
    message: Type.String(),
    credits_refunded: nullable(Type.Boolean()),
  },
  { title: "JobFailure" },
);
export type JobFailure = Static<typeof JobFailure>;

export const stages = [
  "before_submit",
  "submitting",
  "provider_queued",
  "provider_running",
] as const;
export const providerCancels = [
  "cancelled",
  "stopped_partway",
  "requested",
  "refused",
  "unsupported",
  "failed",
] as const;
export const settlements = ["refunded", "partially_refunded", "pending", "charged"] as const;

export const Cancellation = Type.Object(
  {
    stage: Type.Enum([...stages]),
    provider_cancel: nullable(Type.Enum([...providerCancels])),
    settlement: Type.Enum([...settlements]),
    message: Type.String(),
    credits_refunded: nullable(Type.Integer()),
    credits_charged: nullable(Type.Integer()),
    requested_at: Timestamp,
    settled_at: nullable(Timestamp),
    canceled_by: Type.String(),
  },
  { title: "Cancellation" },
);
export type Cancellation = Static<typeof Cancellation>;

export const Job = Type.Object(
  {
    id: Uuid,
    modality: Modality,
    model: Type.String(),
    status: JobStatus,
    status_detail: nullable(Type.String()),
    status_message: nullable(Type.String()),
    asset: Type.Optional(Asset),
    assets: Type.Optional(Type.Array(Asset)),
    error: Type.Optional(Problem),
    failure: Type.Optional(JobFailure),
    warnings: Type.Optional(Type.Array(Type.String())),
    cancellation: Type.Optional(Cancellation),
    progress: nullable(Type.Number()),
    created_at: Timestamp,
    updated_at: Timestamp,
    started_at: nullable(Timestamp),
    completed_at: nullable(Timestamp),
    user_id: Uuid,
    set_id: nullable(Uuid),
    agent_session_id: nullable(Uuid),
    parent_job_id: nullable(Uuid),
    credits_held: Type.Integer(),
    credits_charged: nullable(Type.Integer()),
    surface: nullable(Type.String()),
    summary: Type.String({ description: "The beginning of the prompt, on one line." }),
    request: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "The request as accepted, with defaults filled in: the body of the route of its kind.",
      }),
    ),
  },
  { title: "Job" },
);
export type Job = Static<typeof Job>;

export const JobPage = Type.Object(
  {
    items: Type.Array(Job),
    next_cursor: nullable(Type.String()),
    total: Type.Integer(),
  },
  { title: "JobPage" },
);

export const SseTicket = Type.Object(
  { ticket: Type.String(), expires_at: Timestamp },
  { title: "SseTicket" },
);

export const jobEventTypes = [
  "accepted",
  "hold_placed",
  "submitted",
  "provider_status",
  "callback_received",
  "status_detail",
  "progress",
  "cancel_requested",
  "terminal",
  "settled",
] as const;

/** History of a job; `data` depends on the type, and readers must treat members as optional. */
export const JobEvents = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        at: Timestamp,
        type: Type.Enum([...jobEventTypes]),
        data: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
  },
  { title: "JobEvents" },
);
export type JobEvents = Static<typeof JobEvents>;

const arrayOfUnique = <S extends typeof JobStatus | typeof Modality>(one: S) =>
  Type.Optional(Type.Union([one, Type.Array(one, { minItems: 1, maxItems: 5 })]));

/** A request contains one of the two members. */
export const CancelJobsRequest = strict({
  ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: limits.jobs.cancelsMax,
    }),
  ),
  filter: Type.Optional(
    Type.Object(
      {
        status: arrayOfUnique(JobStatus),
        modality: arrayOfUnique(Modality),
        set_id: Type.Optional(Type.String({ maxLength: 36 })),
        agent_session_id: Type.Optional(Type.String({ maxLength: 36 })),
        created_before: Type.Optional(Type.String({ format: "date-time" })),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
  ),
});
export type CancelJobsRequest = Static<typeof CancelJobsRequest>;

/** `status` and `code` are those that `POST /jobs/{id}/cancel` would return. */
export const CanceledJobs = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        job_id: Type.String(),
        status: Type.Integer(),
        code: nullable(Type.String()),
      }),
    ),
  },
  { title: "CanceledJobs" },
);
export type CanceledJobs = Static<typeof CanceledJobs>;
