/** Frames of the event streams: the name, and the JSON of the data line. */

import { type Type as T, Type } from "../config/schema.ts";
import { turnStatuses } from "./agent.ts";
import { Uuid } from "./common.ts";
import { failureKinds, JobStatus } from "./job.ts";

const { Optional } = Type;
const Share = Type.Number({ minimum: 0, maximum: 1 });

function frame<P extends T.TProperties>(event: string, title: string, properties: P) {
  const data = Type.Object(properties);
  return Type.Object({ event: Type.Literal(event), id: Optional(Type.String()), data }, { title });
}

/** The service is stopping; the client should get a new ticket and connect again. */
const ReconnectFrame = frame("reconnect", "ReconnectFrame", {});

export const JobFrame = Type.Union(
  [
    frame("status", "JobStatusFrame", {
      status: JobStatus,
      progress: Optional(Share),
      status_detail: Optional(Type.String()),
      status_message: Optional(Type.String()),
    }),
    frame("complete", "JobSucceededFrame", {
      status: Type.Literal("succeeded"),
      progress: Optional(Share),
      asset_url: Optional(Type.String()),
    }),
    frame("complete", "JobFailedFrame", {
      status: Type.Literal("failed"),
      progress: Optional(Share),
      error: Optional(Type.String()),
      failure_kind: Optional(Type.Enum([...failureKinds])),
      failure_code: Optional(Type.String()),
      credits_refunded: Optional(Type.Union([Type.Boolean(), Type.Null()])),
    }),
    frame("complete", "JobCanceledFrame", {
      status: Type.Literal("canceled"),
      progress: Optional(Share),
      error: Optional(Type.String()),
      credits_refunded: Optional(Type.Boolean()),
    }),
    ReconnectFrame,
  ],
  { title: "JobFrame" },
);

export const RenderFrame = Type.Union(
  [
    frame("status", "RenderStatusFrame", {
      status: Type.Enum(["queued", "running", "succeeded", "failed"]),
      progress: Optional(Share),
    }),
    frame("complete", "RenderCompleteFrame", {
      status: Type.Enum(["succeeded", "failed"]),
      progress: Optional(Share),
      asset_url: Optional(Type.String()),
      error: Optional(Type.String()),
      warnings: Type.Array(Type.String()),
    }),
    ReconnectFrame,
  ],
  { title: "RenderFrame" },
);

export const SessionFrame = Type.Union(
  [
    frame("turn", "SessionTurnFrame", { turn_id: Uuid, status: Type.Enum([...turnStatuses]) }),
    frame("job", "SessionJobFrame", { job_id: Uuid, status: JobStatus }),
    frame("spend", "SessionSpendFrame", {
      credits_committed: Type.Integer(),
      credit_ceiling: Optional(Type.Union([Type.Integer(), Type.Null()])),
    }),
    frame("complete", "SessionCompleteFrame", {
      turn_id: Optional(Uuid),
      status: Type.Enum([...turnStatuses]),
    }),
    ReconnectFrame,
  ],
  { title: "SessionFrame" },
);
