/** What operators learn of a render that has ended. */
import type { Context, Report } from "../../engine/actor.ts";
import type { Tally } from "../../engine/metrics/tally.ts";
import { type Render, renderOrderKey } from "./render.ts";

/** Undefined unless this head ended it. */
export function reportOf(render: Render): Report | undefined {
  if (!("finishedAtMs" in render) || render.updatedAtMs !== render.finishedAtMs) return undefined;
  return {
    level: render.phase === "failed" ? "warn" : "info",
    message: "a render ended",
    fields: (get) => linesOf(render, get),
    count: (tally, get) => count(render, tally, get),
  };
}

type Ended = Extract<Render, { finishedAtMs: number }>;

function linesOf(render: Ended, get: Context["get"]): object {
  const { id, scope, startedAtMs, finishedAtMs } = render;
  return {
    render: id,
    target: targetOf(render, get),
    status: statusOf(render),
    ms: startedAtMs === undefined ? undefined : finishedAtMs - startedAtMs,
    account: scope,
  };
}

function count(render: Ended, tally: Tally, get: Context["get"]): void {
  const target = targetOf(render, get) ?? "unknown";
  tally.count("renders_total", { target, status: statusOf(render) }).add();
}

function targetOf({ id }: Ended, get: Context["get"]): string | undefined {
  return get(renderOrderKey(id))?.target;
}

function statusOf(render: Ended): "succeeded" | "failed" | "canceled" {
  return render.phase === "failed" && render.isCanceled ? "canceled" : render.phase;
}
