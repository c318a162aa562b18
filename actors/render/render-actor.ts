/**
 * How a render moves.
 *
 *   queued (waits) --go--> queued (sent) --claim--> running --finished--> succeeded
 *         \                     \         <--lapsed--/  \---------------> failed
 *          `---------------------`-----cancel, time---------------------------^
 *
 * 1. Terminal exactly once (I5): no message moves a succeeded or failed render.
 * 2. The asset and the terminal state are one step.
 * 3. Its end notifies its studio and its composition in the same step.
 */

import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { RenderStillOptions } from "../../contract/render.ts";
import {
  type Actor,
  answer,
  birth,
  type Context,
  type Decision,
  decision,
  put,
  type RowWrite,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { idBytes } from "../../engine/id.ts";
import { runFarmTask } from "../job/run-farm-task.ts";
import { assetKey, type ReadyAsset } from "../protocol/asset.ts";
import { compositionKey } from "../protocol/composition.ts";
import type { Outcome, Output } from "../protocol/job.ts";
import type { Rows } from "../protocol/owner.ts";
import { removalKey } from "../protocol/removal.ts";
import {
  type CancelRender,
  type FailedRender,
  type QueuedRender,
  type Render,
  type RenderEffect,
  type RenderMessage,
  type RenderNotes,
  type RenderOrder,
  type RunningRender,
  renderNotesKey,
  renderOfCompositionKey,
  renderOrderKey,
} from "../protocol/render.ts";
import { type Place, studioKey } from "../protocol/studio.ts";
import { createRefused, type Refusal, type Refused } from "../refusal.ts";
import { failureText, getStillParams } from "./outcome.ts";
import { buildReport } from "./render-report.ts";

type RenderDecision = Decision<Render, RenderEffect>;
type Of<Kind extends RenderMessage["kind"]> = Extract<RenderMessage, { kind: Kind }>;

export const renderActor: Actor<Render, RenderMessage, RenderEffect> = {
  kind: "render",
  decide(render, message, ctx) {
    if (message.kind === "create") return create(render, message, ctx);
    if (render === undefined) return unknown(message, ctx);
    switch (message.kind) {
      case "go":
        return go(render, ctx);
      case "claim":
        return claim(render, message.token, ctx);
      case "lapsed":
        return lapse(render, message, ctx);
      case "progress":
        return report(render, message, ctx);
      case "finished":
        return finish(render, message, ctx);
      case "cancel":
        return cancel(render, message.user, ctx);
      case "retire":
        return retire(render, ctx);
      case "due":
        return expire(render, ctx);
    }
  },
  dueAt,
  report: buildReport,
  resume(render, ctx) {
    const isUnderWay = render.phase === "running" || (render.phase === "queued" && render.isSent);
    return isUnderWay ? work(ctx.get(renderOrderKey(render.id)), ctx) : [];
  },
};

function dueAt(render: Render): number | undefined {
  switch (render.phase) {
    case "queued":
      return render.createdAtMs + limits.renders.waitMs;
    case "running":
      return render.startedAtMs + limits.renders.wallMs;
    case "succeeded":
    case "failed":
      return undefined;
  }
}

function create(render: Render | undefined, message: Of<"create">, ctx: Context): RenderDecision {
  const { atMs } = ctx;
  if (render !== undefined) return decision(render);
  const { order, isSent } = message;
  const { id, scope, user, composition } = order;
  const head: QueuedRender = {
    phase: "queued",
    isSent,
    id,
    scope,
    user,
    composition,
    createdAtMs: atMs,
    version: 1,
    updatedAtMs: atMs,
    attempts: 0,
  };
  return decision(head, {
    rows: [
      put(renderOrderKey(id), order),
      put(renderOfCompositionKey(composition, idBytes(id)), ""),
    ],
    replies: answer(message, { kind: "accepted" }),
    effects: isSent ? work(order, ctx) : [],
  });
}

/** Returns the effect that runs the render's task on the farm. */
function work(order: RenderOrder | undefined, rows: Rows): RenderEffect[] {
  if (order === undefined) return [];
  const { id, scope, manifestKey, target, quality, still, audioMix, assets, trace } = order;
  const input = {
    manifestKey,
    target,
    assets,
    ...omitUndefined({ quality, still: still && getStill(still), audioMix }),
  };
  const task = {
    kind: "render",
    input,
    outputPrefix: `renders/${id}`,
    ...omitUndefined({ trace }),
  };
  return [runFarmTask(scope, task, rows)];
}

function getStill({ at_seconds, max_dimension, frame, background }: RenderStillOptions) {
  return omitUndefined({ atSeconds: at_seconds, frame, background, maxDimension: max_dimension });
}

function getCommonFields(
  { id, scope, user, composition, createdAtMs, version }: Render,
  atMs: number,
) {
  return {
    id,
    scope,
    user,
    composition,
    createdAtMs,
    version: version + 1,
    updatedAtMs: atMs,
  };
}

function getPlace(render: Render): Place {
  if (render.phase === "queued") return render.isSent ? "sent" : "waiting";
  return render.phase === "running" ? "running" : "over";
}

function tellMoved(before: Render, next: Render): Tell {
  const { id, scope } = before;
  const places = { from: getPlace(before), to: getPlace(next) };
  return tell(studioKey(scope), { kind: "render_moved", render: id, ...places });
}

function go(render: Render, ctx: Context): RenderDecision {
  if (render.phase !== "queued" || render.isSent) return decision(render);
  const next: Render = { ...render, isSent: true };
  return { ...decision(next), effects: work(ctx.get(renderOrderKey(render.id)), ctx) };
}

/** Assigns the render to a farm node; the claim is durable before the node learns of it. */
function claim(render: Render, token: string, { atMs }: Context): RenderDecision {
  if (render.phase !== "queued" && render.phase !== "running")
    return { ...decision(render), effects: [{ kind: "farm.cancel" }] };
  const next: RunningRender = {
    phase: "running",
    ...getCommonFields(render, atMs),
    attempts: render.attempts,
    startedAtMs: render.phase === "running" ? render.startedAtMs : atMs,
    progress: render.phase === "running" ? render.progress : 0,
    token,
  };
  const moved = render.phase === "queued" ? [tellMoved(render, next)] : [];
  return { ...decision(next), effects: [...moved, { kind: "farm.lease", token }] };
}

/**
 * Ends a lease. The broker offers the task again, unless this was the last attempt. A task that a
 * node handed back does not count as an attempt.
 */
function lapse(
  render: Render,
  { token, reason, isReturned }: Of<"lapsed">,
  ctx: Context,
): RenderDecision {
  if (render.phase !== "running" || render.token !== token) return decision(render);
  const { token: _, ...open } = render;
  const attempts = render.attempts + (isReturned === true ? 0 : 1);
  if (attempts < limits.farm.attemptsMax) return decision({ ...open, attempts });
  const error = failureText(reason ?? "the farm node was lost on every attempt");
  return fail(render, { warnings: [], error }, ctx, [{ kind: "farm.cancel" }]);
}

/** Stores the progress, which never falls; a late report is ignored. */
function report(render: Render, { token, progress }: Of<"progress">, ctx: Context): RenderDecision {
  const share = Math.min(1, Math.max(0, progress));
  if (render.phase !== "running" || render.token !== token || share <= render.progress)
    return decision(render);
  return decision({ ...render, ...getCommonFields(render, ctx.atMs), progress: share });
}

function finish(render: Render, { token, outcome }: Of<"finished">, ctx: Context): RenderDecision {
  if (render.phase !== "running" || render.token !== token) return decision(render);
  if (outcome.kind === "failed")
    return fail(
      render,
      { warnings: outcome.warnings ?? [], error: failureText(outcome.message) },
      ctx,
    );
  const [output] = outcome.outputs;
  if (output === undefined)
    return fail(render, { warnings: [], error: failureText("nothing was made") }, ctx);
  return succeed(render, output, outcome, ctx);
}

function succeed(
  render: RunningRender,
  { asset: id, media }: Output,
  { warnings = [], details }: Extract<Outcome, { kind: "succeeded" }>,
  ctx: Context,
): RenderDecision {
  const { atMs } = ctx;
  const { scope, user } = render;
  const { width, height, durationSeconds } = media;
  const next: Render = {
    phase: "succeeded",
    ...getCommonFields(render, atMs),
    startedAtMs: render.startedAtMs,
    finishedAtMs: atMs,
    asset: id,
    ...omitUndefined({ width, height, durationSeconds }),
  };
  const order = ctx.get(renderOrderKey(render.id));
  const params = order?.params && getStillParams(order.params, details);
  const notes: RenderNotes = { warnings, ...omitUndefined({ params }) };
  const origin = { render: render.id, user };
  const asset: ReadyAsset = { phase: "ready", id, scope, createdAtMs: atMs, origin, media };
  const born = birth(assetKey(scope, id), { kind: "create", asset });
  return over(render, next, notes, ctx, [born]);
}

function fail(
  render: QueuedRender | RunningRender,
  notes: RenderNotes,
  ctx: Context,
  effects: readonly RenderEffect[] = [],
  as: Pick<FailedRender, "isCanceled"> = {},
): RenderDecision {
  const next: FailedRender = {
    phase: "failed",
    ...getCommonFields(render, ctx.atMs),
    ...(render.phase === "running" ? { startedAtMs: render.startedAtMs } : {}),
    finishedAtMs: ctx.atMs,
    ...as,
  };
  return over(render, next, notes, ctx, effects);
}

/** Ends a render: notifies the actors that count it or wait for it, and drops the farm's data. */
function over(
  render: Render,
  next: Render,
  notes: RenderNotes,
  ctx: Context,
  effects: readonly (Tell | RenderEffect)[],
): RenderDecision {
  const { id, scope, composition } = render;
  const order = ctx.get(renderOrderKey(id));
  const keys = order === undefined ? [] : [order.manifestKey];
  const told = [
    tellMoved(render, next),
    tell(compositionKey(scope, composition), { kind: "render_over", render: id }),
    tell(removalKey(ctx.self, "media"), { kind: "remove", keys }),
  ];
  const left: RowWrite[] =
    order === undefined ? [] : [put(renderOrderKey(id), { ...order, assets: {} })];
  const rows = [put(renderNotesKey(id), notes), ...left];
  return decision(next, { rows, effects: [...effects, ...told] });
}

/** Cancels a render. A repeated cancel gets the same reply; other ended renders refuse it. */
function cancel(render: Render, user: string, ctx: Context<ReplyTo<CancelRender>>): RenderDecision {
  if (render.phase === "succeeded" || (render.phase === "failed" && render.isCanceled !== true))
    return decision(render, { replies: answer(ctx, createRefused(tooLate)) });
  const done = answer(ctx, { kind: "canceled" });
  if (render.phase === "failed") return decision(render, { replies: done });
  const notes = { warnings: [], error: `canceled: by ${user}` };
  const isSent = render.phase === "running" || render.isSent;
  const effects = isSent ? [{ kind: "farm.cancel" } as const] : [];
  return { ...fail(render, notes, ctx, effects, { isCanceled: true }), replies: done };
}

const tooLate: Refusal = {
  code: "conflict",
  detail: "The render has ended; nothing was changed.",
};

function expire(render: Render, ctx: Context): RenderDecision {
  const dueMs = dueAt(render);
  const isOver = render.phase === "succeeded" || render.phase === "failed";
  if (isOver || dueMs === undefined || ctx.atMs < dueMs) return decision(render);
  const [did, ms] =
    render.phase === "queued"
      ? ["waited for a farm node", limits.renders.waitMs]
      : ["took", limits.renders.wallMs];
  const error = `render_timeout: the render ${did} more than ${ms / 1000} s`;
  return fail(render, { warnings: [], error }, ctx, [{ kind: "farm.cancel" }]);
}

function retire(render: Render, { atMs }: Context): RenderDecision {
  const isOver = render.phase === "succeeded" || render.phase === "failed";
  if (!isOver || atMs < render.finishedAtMs + limits.renders.retentionMs) return decision(render);
  const { id, composition } = render;
  const keys = [
    renderOrderKey(id),
    renderNotesKey(id),
    renderOfCompositionKey(composition, idBytes(id)),
  ];
  const rows = keys.map((key) => ({ key, value: undefined }));
  return decision(undefined, { rows });
}

/** A cancel of an unknown render is refused; a late report is ignored. */
function unknown(message: RenderMessage, ctx: Context<Refused>): RenderDecision {
  const isAsked = message.kind === "cancel";
  const replies = isAsked ? answer(ctx, createRefused({ code: "not_found" })) : [];
  const effects: RenderEffect[] = message.kind === "claim" ? [{ kind: "farm.cancel" }] : [];
  return decision(undefined, { replies, effects });
}
