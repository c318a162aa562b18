/** What operators learn of a render that has ended. */
import type { Context, Report } from "../../engine/actor.ts";
import type { Tally } from "../../engine/metrics/tally.ts";
import type { Span } from "../../engine/ports/traces.ts";
import { type Render, type RenderOrder, renderOrderKey } from "../protocol/render.ts";

/** Builds the report of a render, or undefined unless this head ended it. */
export function buildReport(render: Render): Report | undefined {
  if (!("finishedAtMs" in render) || render.updatedAtMs !== render.finishedAtMs) return undefined;
  return {
    level: render.phase === "failed" ? "warn" : "info",
    message: "render ended",
    fields: (get) => buildLogLine(render, get),
    count: (tally, get) => count(render, tally, get),
    span: (get) => buildSpan(render, get(renderOrderKey(render.id))),
  };
}

type Ended = Extract<Render, { finishedAtMs: number }>;

function buildLogLine(render: Ended, get: Context["get"]): object {
  const { id, scope, startedAtMs, finishedAtMs } = render;
  return {
    render: id,
    target: findTarget(render, get),
    status: getStatus(render),
    ms: startedAtMs === undefined ? undefined : finishedAtMs - startedAtMs,
    account: scope,
  };
}

function count(render: Ended, tally: Tally, get: Context["get"]): void {
  const target = findTarget(render, get) ?? "unknown";
  tally.count("renders_total", { target, status: getStatus(render) }).add();
}

/** Builds the trace span of a render, from its submit to its end. */
function buildSpan(render: Ended, order: RenderOrder | undefined): Span | undefined {
  if (order?.trace === undefined) return undefined;
  const { id, createdAtMs, finishedAtMs } = render;
  const status = getStatus(render);
  return {
    name: `render ${order.target}`,
    kind: "internal",
    parent: order.trace,
    startMs: createdAtMs,
    endMs: finishedAtMs,
    isFailed: status === "failed",
    attributes: { "klieg.render": id, "klieg.status": status },
  };
}

function findTarget({ id }: Ended, get: Context["get"]): string | undefined {
  return get(renderOrderKey(id))?.target;
}

function getStatus(render: Ended): "succeeded" | "failed" | "canceled" {
  return render.phase === "failed" && render.isCanceled ? "canceled" : render.phase;
}
