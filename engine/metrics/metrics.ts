/**
 * All metrics that operators can read, by their names in Prometheus. No label names an account, a
 * job or a prompt. Times are in seconds.
 */

interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, in rising order. */
  readonly bounds?: readonly number[];
}

const answerBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
const workBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600];

export const metrics = {
  http_requests_total: {
    kind: "counter",
    help: "Answered requests; route is the path in the API document, or other for an unknown path.",
    labels: ["route", "method", "status"],
  },
  http_request_duration_seconds: {
    kind: "histogram",
    help: "Time from a request's arrival to its response; for a stream, to its start.",
    labels: ["route", "method"],
    bounds: answerBounds,
  },
  jobs_total: {
    kind: "counter",
    help: "Jobs that have ended on this node.",
    labels: ["modality", "model", "status"],
  },
  jobs_active: {
    kind: "gauge",
    help: "Jobs of this node's shards that have not ended.",
    labels: ["modality", "state"],
  },
  job_duration_seconds: {
    kind: "histogram",
    help: "How long jobs that ended were queued, and how long they ran.",
    labels: ["modality", "phase"],
    bounds: workBounds,
  },
  provider_requests_total: {
    kind: "counter",
    help: "Calls to providers; outcome is the provider's answer, or error without a usable one.",
    labels: ["provider", "op", "outcome"],
  },
  provider_up: {
    kind: "gauge",
    help: "1 for a provider that takes work, 0 for one that is down.",
    labels: ["provider"],
  },
  callbacks_total: {
    kind: "counter",
    help: "Callbacks of providers; outcome rejected for what was refused before it was read.",
    labels: ["provider", "outcome"],
  },
  sse_streams: { kind: "gauge", help: "Open event streams on this node.", labels: [] },
  waiters: { kind: "gauge", help: "Requests that wait for a job's end.", labels: [] },
  credits_held: {
    kind: "gauge",
    help: "Credits held for jobs of this node's shards that are not settled.",
    labels: [],
  },
  credits_settled_total: {
    kind: "counter",
    help: "Credits of settled holds: charged, or released to their account.",
    labels: ["outcome"],
  },
  renders_total: {
    kind: "counter",
    help: "Renders that have ended on this node.",
    labels: ["target", "status"],
  },
  render_queue_depth: {
    kind: "gauge",
    help: "Renders of this node that wait for a farm node.",
    labels: [],
  },
  render_nodes: {
    kind: "gauge",
    help: "Farm nodes that take tasks from this node: idle, busy or draining.",
    labels: ["state"],
  },
  farm_tasks_total: {
    kind: "counter",
    help: "Tasks that this farm node has ended; outcome fault for an error of its own.",
    labels: ["kind", "outcome"],
  },
  farm_task_duration_seconds: {
    kind: "histogram",
    help: "How long this farm node worked on a task.",
    labels: ["kind"],
    bounds: workBounds,
  },
  farm_tasks_running: { kind: "gauge", help: "Tasks that this farm node works on.", labels: [] },
  replication_lag_messages: {
    kind: "gauge",
    help: "Records in the logs of followed shards that are not durable on this node.",
    labels: [],
  },
  shard_waiting: {
    kind: "gauge",
    help: "1 for a shard without an owner that this node knows of, by what it waits for.",
    labels: ["shard", "reason"],
  },
  store_bytes: {
    kind: "gauge",
    help: "Size in bytes of the journals and tables in this node's data directory.",
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

/** Names of the metrics of one kind. */
export type MetricOf<Kind extends Metric["kind"]> = {
  [Name in MetricName]: (typeof metrics)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];

export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof metrics)[Name]["labels"][number], string>
>;
