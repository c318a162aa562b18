/** Operator routes: work of all nodes in each minute of the last hour, and what is open now. */

import { limits } from "../../config/limits.ts";
import { modalities } from "../../config/modalities.ts";
import { AdminOverview, type OverviewMinute } from "../../contract/admin.ts";
import type { Sample } from "../../engine/metrics/tally.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { answerMs, type Figures, type Minute, type NodeFigures, sum } from "../metrics/minutes.ts";
import { anywhere, type Call, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";

export const overviewRoutes: readonly Route[] = [
  route("GET", "/v1/admin/overview", {
    summary: "Read what was done in each minute of the last hour, and what is open now",
    answers: { 200: AdminOverview },
    access: "admin",
    getPartition: anywhere,
    rate: "read",
    run: showOverview,
  }),
];

export const figuresPartPath = "/parts/figures";

/** Figures of this node. Throws `RefusalError` with 503 before it has begun to count. */
export async function ownFigures({ minutes }: Service): Promise<NodeFigures> {
  if (minutes === undefined) {
    const { retryAfterSeconds } = limits.http;
    throw new RefusalError({ code: "unavailable", retryAfterSeconds });
  }
  return minutes.figures();
}

async function showOverview({ service }: Call): Promise<Answer> {
  const [own, others] = await Promise.all([
    ownFigures(service),
    service.cluster?.forwarder.askNodes("GET", figuresPartPath) ?? [],
  ]);
  const silent = others.filter(({ answer }) => answer === undefined).map(({ node }) => node);
  const answers = others.flatMap(({ answer }) => (answer as NodeFigures | undefined) ?? []);
  const nodes = [own, ...answers];
  const gauges = nodes.flatMap((node) => node.gauges);
  const total = (name: Sample["name"], labels: Sample["labels"] = {}) =>
    gauges
      .filter((sample) => sample.name === name && agree(sample.labels, labels))
      .reduce((sum, { value }) => sum + value, 0);
  return json(200, {
    at: timestamp(service.clock.nowMs()),
    minutes: byMinute(nodes.flatMap(({ minutes }) => minutes)),
    current: view(
      own.current.atMs,
      nodes.map(({ current }) => current),
    ),
    jobs: modalities.map((modality) => ({
      modality,
      queued: total("jobs_active", { modality, state: "queued" }),
      running: total("jobs_active", { modality, state: "running" }),
    })),
    credits_held: total("credits_held"),
    renders_waiting: total("render_queue_depth"),
    streams: total("sse_streams"),
    waits: total("waiters"),
    replication_lag: total("replication_lag_messages"),
    store_bytes: total("store_bytes"),
    silent_nodes: silent,
  } satisfies AdminOverview);
}

function agree(labels: Sample["labels"], wanted: Sample["labels"]): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** Merges minutes of all nodes, whose clocks differ by less than a minute. */
function byMinute(minutes: readonly Minute[]): OverviewMinute[] {
  const beginnings = [...new Set(minutes.map(({ atMs }) => atMs))].sort((a, b) => a - b);
  return beginnings.map((atMs) =>
    view(
      atMs,
      minutes.filter((minute) => minute.atMs === atMs),
    ),
  );
}

function view(atMs: number, parts: readonly Figures[]): OverviewMinute {
  const { accepted, succeeded, failed, canceled, requests, serverErrors, answers } = sum(parts);
  return {
    at: timestamp(atMs),
    accepted: Math.max(0, accepted),
    succeeded,
    failed,
    canceled,
    requests,
    server_errors: serverErrors,
    answer_p50_ms: answerMs(0.5, answers),
    answer_p99_ms: answerMs(0.99, answers),
  };
}
