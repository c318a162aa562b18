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
    help: "Answered requests by route: the path in the API document, or other for an unknown path.",
    labels: ["route", "method", "status"],
  },
  http_request_duration_seconds: {
    kind: "histogram",
    help: "Time from a request's arrival to its response, or to the start of a stream.",
    labels: ["route", "method"],
    bounds: answerBounds,
  },
  jobs_total: {
    kind: "counter",
    help: "Jobs that ended on this node.",
    labels: ["modality", "model", "status"],
  },
  jobs_active: {
    kind: "gauge",
    help: "Jobs of this node's shards that have not ended.",
    labels: ["modality", "state"],
  },
  job_duration_seconds: {
    kind: "histogram",
    help: "Time that ended jobs spent queued and running.",
    labels: ["modality", "phase"],
    bounds: workBounds,
  },
  provider_requests_total: {
    kind: "counter",
    help: "Calls to providers by outcome: the provider's answer, or error without a usable one.",
    labels: ["provider", "op", "outcome"],
  },
  provider_up: {
    kind: "gauge",
    help: "1 for a provider that accepts work, 0 for one that is down.",
    labels: ["provider"],
  },
  callbacks_total: {
    kind: "counter",
    help: "Callbacks from providers; the outcome rejected counts those refused unread.",
    labels: ["provider", "outcome"],
  },
  sse_streams: { kind: "gauge", help: "Open event streams on this node.", labels: [] },
  waiters: { kind: "gauge", help: "Requests that are waiting for a job to end.", labels: [] },
  credits_held: {
    kind: "gauge",
    help: "Credits held for unsettled jobs of this node's shards.",
    labels: [],
  },
  credits_settled_total: {
    kind: "counter",
    help: "Credits of settled holds, by whether they were charged or released to the account.",
    labels: ["outcome"],
  },
  renders_total: {
    kind: "counter",
    help: "Renders that ended on this node.",
    labels: ["target", "status"],
  },
  render_queue_depth: {
    kind: "gauge",
    help: "Renders of this node that are waiting for a farm node.",
    labels: [],
  },
  render_nodes: {
    kind: "gauge",
    help: "Farm nodes that accept tasks from this node, by state: idle, busy or draining.",
    labels: ["state"],
  },
  farm_tasks_total: {
    kind: "counter",
    help: "Tasks that this farm node finished; the outcome fault counts errors of its own.",
    labels: ["kind", "outcome"],
  },
  farm_task_duration_seconds: {
    kind: "histogram",
    help: "Time that this farm node spent on a task.",
    labels: ["kind"],
    bounds: workBounds,
  },
  farm_tasks_running: {
    kind: "gauge",
    help: "Tasks that this farm node is working on.",
    labels: [],
  },
  replication_lag_messages: {
    kind: "gauge",
    help: "Records in the logs of followed shards that are not yet durable on this node.",
    labels: [],
  },
  shard_waiting: {
    kind: "gauge",
    help: "1 for each shard without an owner, by what it is waiting for.",
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
