/**
 * How a render moves.
 *
 *   queued (waits) --go--> queued (sent) --claim--> running --finished--> succeeded
 *         \                     \         <--lapsed--/  \---------------> failed
 *          `---------------------`-----cancel, time---------------------------^
 *
 * 1. Terminal exactly once (I5): no message moves a succeeded or failed render.
 * 2. The asset and the terminal state are one turn.
 * 3. Its studio and its composition hear in the same turn that it is over.
 */

import { limits } from "../../config/limits.ts";
import {
  type Actor,
  answer,
  birth,
  put,
  type RowWrite,
  type Tell,
  type Turn,
  type TurnView,
  tell,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { idBytes } from "../../engine/id.ts";
import { assetKey, type ReadyAsset } from "../asset/asset.ts";
import { removalKey } from "../asset/removal.ts";
import { compositionKey } from "../composition/composition.ts";
import type { RenderStillOptions } from "../contract/render.ts";
import type { Outcome, Output } from "../job/job.ts";
import { type Refusal, type Refused, refused } from "../refusal.ts";
import { type Place, studioKey } from "../studio/studio.ts";
import { failureText, stillParamsOf } from "./outcome.ts";
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
} from "./render.ts";

type RenderTurn = Turn<Render, RenderEffect>;
type Of<Kind extends RenderMessage["kind"]> = Extract<RenderMessage, { kind: Kind }>;

export const renderActor: Actor<Render, RenderMessage, RenderEffect> = {
  kind: "render",
  decide(render, message, turn) {
    if (message.kind === "create") return create(render, message, turn);
    if (render === undefined) return unknown(message, turn);
    switch (message.kind) {
      case "go":
        return go(render, turn);
      case "claim":
        return claim(render, message.token, turn);
      case "lapsed":
        return lapse(render, message, turn);
      case "progress":
        return report(render, message, turn);
      case "finished":
        return finish(render, message, turn);
      case "cancel":
        return cancel(render, message.user, turn);
      case "retire":
        return retire(render, turn);
      case "due":
        return expire(render, turn);
    }
  },
  dueAt,
  resume(render, turn) {
    const isUnderWay = render.phase === "running" || (render.phase === "queued" && render.isSent);
    return isUnderWay ? workOf(turn.get(renderOrderKey(render.id))) : [];
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

function unchanged(head: Render): RenderTurn {
  return { head, rows: [], replies: [], effects: [] };
}

function create(render: Render | undefined, message: Of<"create">, { atMs }: TurnView): RenderTurn {
  if (render !== undefined) return unchanged(render);
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
  return {
    head,
    rows: [
      put(renderOrderKey(id), order),
      put(renderOfCompositionKey(composition, idBytes(id)), ""),
    ],
    replies: answer(message, { kind: "accepted" }),
    effects: isSent ? workOf(order) : [],
  };
}

/** What a farm node is to do. */
function workOf(order: RenderOrder | undefined): RenderEffect[] {
  if (order === undefined) return [];
  const { id, scope, manifestKey, target, quality, still, audioMix, assets } = order;
  const input = {
    manifestKey,
    target,
    assets,
    ...(quality === undefined ? {} : { quality }),
    ...(still === undefined ? {} : { still: stillOf(still) }),
    ...(audioMix === undefined ? {} : { audioMix }),
  };
  const task = { kind: "render", input, outputPrefix: `renders/${id}` };
  return [{ kind: "farm.run", scope, task }];
}

function stillOf({ at_seconds, max_dimension, frame, background }: RenderStillOptions) {
  return {
    ...(at_seconds === undefined ? {} : { atSeconds: at_seconds }),
    ...(frame === undefined ? {} : { frame }),
    ...(background === undefined ? {} : { background }),
    ...(max_dimension === undefined ? {} : { maxDimension: max_dimension }),
  };
}

function commonOf({ id, scope, user, composition, createdAtMs, version }: Render, atMs: number) {
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

function placeOf(render: Render): Place {
  if (render.phase === "queued") return render.isSent ? "sent" : "waiting";
  return render.phase === "running" ? "running" : "over";
}

function movedTell(before: Render, next: Render): Tell {
  const { id, scope } = before;
  const places = { from: placeOf(before), to: placeOf(next) };
  return tell(studioKey(scope), { kind: "render_moved", render: id, ...places });
}

function go(render: Render, turn: TurnView): RenderTurn {
  if (render.phase !== "queued" || render.isSent) return unchanged(render);
  const next: Render = { ...render, isSent: true };
  return { ...unchanged(next), effects: workOf(turn.get(renderOrderKey(render.id))) };
}

/** Durable before the node hears of it. */
function claim(render: Render, token: string, { atMs }: TurnView): RenderTurn {
  if (render.phase !== "queued" && render.phase !== "running")
    return { ...unchanged(render), effects: [{ kind: "farm.cancel" }] };
  const next: RunningRender = {
    phase: "running",
    ...commonOf(render, atMs),
    attempts: render.attempts,
    startedAtMs: render.phase === "running" ? render.startedAtMs : atMs,
    progress: render.phase === "running" ? render.progress : 0,
    token,
  };
  const moved = render.phase === "queued" ? [movedTell(render, next)] : [];
  return { ...unchanged(next), effects: [...moved, { kind: "farm.lease", token }] };
}

/** The broker offers the task again, unless this was the last attempt. */
function lapse(render: Render, { token, reason }: Of<"lapsed">, turn: TurnView): RenderTurn {
  if (render.phase !== "running" || render.token !== token) return unchanged(render);
  const { token: _, ...open } = render;
  const attempts = render.attempts + 1;
  if (attempts < limits.farm.attemptsMax) return unchanged({ ...open, attempts });
  const error = failureText(reason ?? "the farm node was lost on every attempt");
  return fail(render, { warnings: [], error }, turn, [{ kind: "farm.cancel" }]);
}

/** Progress never falls; a late report is ignored. */
function report(render: Render, { token, progress }: Of<"progress">, turn: TurnView): RenderTurn {
  const share = Math.min(1, Math.max(0, progress));
  if (render.phase !== "running" || render.token !== token || share <= render.progress)
    return unchanged(render);
  return unchanged({ ...render, ...commonOf(render, turn.atMs), progress: share });
}

function finish(render: Render, { token, outcome }: Of<"finished">, turn: TurnView): RenderTurn {
  if (render.phase !== "running" || render.token !== token) return unchanged(render);
  if (outcome.kind === "failed")
    return fail(
      render,
      { warnings: outcome.warnings ?? [], error: failureText(outcome.message) },
      turn,
    );
  const [output] = outcome.outputs;
  if (output === undefined)
    return fail(render, { warnings: [], error: failureText("nothing was made") }, turn);
  return succeed(render, output, outcome, turn);
}

function succeed(
  render: RunningRender,
  { asset: id, media }: Output,
  { warnings = [], details }: Extract<Outcome, { kind: "succeeded" }>,
  turn: TurnView,
): RenderTurn {
  const { atMs } = turn;
  const { scope, user } = render;
  const { width, height, durationSeconds } = media;
  const next: Render = {
    phase: "succeeded",
    ...commonOf(render, atMs),
    startedAtMs: render.startedAtMs,
    finishedAtMs: atMs,
    asset: id,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
  };
  const order = turn.get(renderOrderKey(render.id));
  const params = order?.params && stillParamsOf(order.params, details);
  const notes: RenderNotes = { warnings, ...(params === undefined ? {} : { params }) };
  const origin = { render: render.id, user };
  const asset: ReadyAsset = { phase: "ready", id, scope, createdAtMs: atMs, origin, media };
  const born = birth(assetKey(scope, id), { kind: "create", asset });
  return over(render, next, notes, turn, [born]);
}

function fail(
  render: QueuedRender | RunningRender,
  notes: RenderNotes,
  turn: TurnView,
  effects: readonly RenderEffect[] = [],
  as: Pick<FailedRender, "isCanceled"> = {},
): RenderTurn {
  const next: FailedRender = {
    phase: "failed",
    ...commonOf(render, turn.atMs),
    ...(render.phase === "running" ? { startedAtMs: render.startedAtMs } : {}),
    finishedAtMs: turn.atMs,
    ...as,
  };
  return over(render, next, notes, turn, effects);
}

/** Whoever counts or waits for it hears, and what only the farm needed goes. */
function over(
  render: Render,
  next: Render,
  notes: RenderNotes,
  turn: TurnView,
  effects: readonly (Tell | RenderEffect)[],
): RenderTurn {
  const { id, scope, composition } = render;
  const order = turn.get(renderOrderKey(id));
  const keys = order === undefined ? [] : [order.manifestKey];
  const told = [
    movedTell(render, next),
    tell(compositionKey(scope, composition), { kind: "render_over", render: id }),
    tell(removalKey(turn.self, "media"), { kind: "remove", keys }),
  ];
  const left: RowWrite[] =
    order === undefined ? [] : [put(renderOrderKey(id), { ...order, assets: {} })];
  const rows = [put(renderNotesKey(id), notes), ...left];
  return { head: next, rows, replies: [], effects: [...effects, ...told] };
}

/** A repeat is answered like the first; a render that has ended otherwise cannot be canceled. */
function cancel(render: Render, user: string, turn: TurnView<ReplyTo<CancelRender>>): RenderTurn {
  if (render.phase === "succeeded" || (render.phase === "failed" && render.isCanceled !== true))
    return { ...unchanged(render), replies: answer(turn, refused(tooLate)) };
  const done = answer(turn, { kind: "canceled" });
  if (render.phase === "failed") return { ...unchanged(render), replies: done };
  const notes = { warnings: [], error: `canceled: by ${user}` };
  const isSent = render.phase === "running" || render.isSent;
  const effects = isSent ? [{ kind: "farm.cancel" } as const] : [];
  return { ...fail(render, notes, turn, effects, { isCanceled: true }), replies: done };
}

const tooLate: Refusal = {
  code: "conflict",
  detail: "The render has ended; nothing was changed.",
};

function expire(render: Render, turn: TurnView): RenderTurn {
  const dueMs = dueAt(render);
  const isOver = render.phase === "succeeded" || render.phase === "failed";
  if (isOver || dueMs === undefined || turn.atMs < dueMs) return unchanged(render);
  const [did, ms] =
    render.phase === "queued"
      ? ["waited for a farm node", limits.renders.waitMs]
      : ["took", limits.renders.wallMs];
  const error = `render_timeout: the render ${did} more than ${ms / 1000} s`;
  return fail(render, { warnings: [], error }, turn, [{ kind: "farm.cancel" }]);
}

function retire(render: Render, { atMs }: TurnView): RenderTurn {
  const isOver = render.phase === "succeeded" || render.phase === "failed";
  if (!isOver || atMs < render.finishedAtMs + limits.renders.retentionMs) return unchanged(render);
  const { id, composition } = render;
  const keys = [
    renderOrderKey(id),
    renderNotesKey(id),
    renderOfCompositionKey(composition, idBytes(id)),
  ];
  const rows = keys.map((key) => ({ key, value: undefined }));
  return { head: undefined, rows, replies: [], effects: [] };
}

/** Who cancels what does not exist is told so; a late report concerns nobody. */
function unknown(message: RenderMessage, turn: TurnView<Refused>): RenderTurn {
  const isAsked = message.kind === "cancel";
  const replies = isAsked ? answer(turn, refused({ code: "not_found" })) : [];
  const effects: RenderEffect[] = message.kind === "claim" ? [{ kind: "farm.cancel" }] : [];
  return { head: undefined, rows: [], replies, effects };
}
