/** What operators see of the work that is done now, and of what went wrong. */
import { type Static, Type } from "../../config/schema.ts";
import { Modality, nullable, Timestamp, Uuid } from "./common.ts";
import { failureKinds } from "./job.ts";

/**
 * `accepted` are jobs. `requests` and their times are those of the API; how long a request waited
 * on purpose is no time of an answer.
 */
export const OverviewMinute = Type.Object(
  {
    at: Timestamp,
    accepted: Type.Integer(),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    canceled: Type.Integer(),
    requests: Type.Integer(),
    server_errors: Type.Integer(),
    answer_p50_ms: nullable(Type.Number()),
    answer_p99_ms: nullable(Type.Number()),
  },
  { title: "OverviewMinute" },
);
export type OverviewMinute = Static<typeof OverviewMinute>;

/** Sums over all nodes; `silent_nodes` are living ones that gave no figures. */
export const AdminOverview = Type.Object(
  {
    at: Timestamp,
    /** Whole ones of the last hour, the oldest first. */
    minutes: Type.Array(OverviewMinute),
    /** The one that runs. */
    current: OverviewMinute,
    jobs: Type.Array(
      Type.Object({ modality: Modality, queued: Type.Integer(), running: Type.Integer() }),
    ),
    credits_held: Type.Integer(),
    renders_waiting: Type.Integer(),
    streams: Type.Integer(),
    waits: Type.Integer(),
    replication_lag: Type.Integer(),
    store_bytes: Type.Integer(),
    silent_nodes: Type.Array(Type.String()),
  },
  { title: "AdminOverview" },
);
export type AdminOverview = Static<typeof AdminOverview>;

/** A task that a farm node has; `id` is that of the job, render or asset that it is for. */
export const AdminTask = Type.Object(
  {
    id: Uuid,
    kind: Type.String(),
    account_id: Uuid,
    node: Type.String(),
    started_at: Timestamp,
    progress: Type.Number(),
    has_thumbnail: Type.Boolean(),
  },
  { title: "AdminTask" },
);
export type AdminTask = Static<typeof AdminTask>;

/** The oldest first; `waiting` counts tasks that no farm node has. */
export const AdminTaskList = Type.Object(
  {
    items: Type.Array(AdminTask),
    waiting: Type.Array(Type.Object({ kind: Type.String(), tasks: Type.Integer() })),
  },
  { title: "AdminTaskList" },
);
export type AdminTaskList = Static<typeof AdminTaskList>;

/** Jobs that failed for the same reason. */
export const AdminFailure = Type.Object(
  {
    code: Type.String(),
    kind: Type.Enum([...failureKinds]),
    model: Type.String(),
    jobs: Type.Integer(),
    last_at: Timestamp,
    last_job_id: Uuid,
    last_message: Type.String(),
  },
  { title: "AdminFailure" },
);
export type AdminFailure = Static<typeof AdminFailure>;

/** The most frequent first. Incomplete where more jobs were made since than are looked at. */
export const AdminFailureList = Type.Object(
  {
    items: Type.Array(AdminFailure),
    since: Timestamp,
    is_complete: Type.Boolean(),
  },
  { title: "AdminFailureList" },
);
export type AdminFailureList = Static<typeof AdminFailureList>;
