/**
 * Schedules the renders of a scope: a limited number is at the farm at once, a limited number may
 * wait, and beyond that a submit is refused. A render reports each change of its phase here, in the
 * same step.
 */

import { limits } from "../../config/limits.ts";
import {
  type Actor,
  answer,
  birth,
  type Context,
  type Decision,
  decision,
  put,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import { invariant } from "../../engine/invariant.ts";
import { getPartition } from "../../engine/key.ts";
import { compositionKey } from "../protocol/composition.ts";
import { renderKey } from "../protocol/render.ts";
import {
  type Place,
  type Studio,
  type StudioMessage,
  waitingRendersKey,
} from "../protocol/studio.ts";
import { tombstoneKey } from "../protocol/tombstone.ts";
import { createRefused, type Refusal } from "../refusal.ts";

type Submit = Extract<StudioMessage, { kind: "submit" }>;
type StudioDecision = Decision<Studio, never>;

const empty: Studio = { compositions: 0, waiting: 0, sent: 0, running: 0 };

export const studioActor: Actor<Studio, StudioMessage, never> = {
  kind: "studio",
  decide(head = empty, message, ctx) {
    switch (message.kind) {
      case "compositions":
        return decision({ ...head, compositions: Math.max(0, head.compositions + message.by) });
      case "submit":
        return submit(head, message, ctx);
      case "render_moved":
        return follow(head, message, ctx);
    }
  },
  dueAt: () => undefined,
};

/** The composition has already noted the render, so a refusal tells it to undo that. */
function submit(studio: Studio, message: Submit, ctx: Context): StudioDecision {
  const { order, digest, request } = message;
  const refusal = duplicate(digest, ctx) ?? findCrowding(studio);
  if (refusal !== undefined) {
    const composition = compositionKey(order.scope, order.composition);
    const replies = answer(message, createRefused(refusal));
    const effects = [tell(composition, { kind: "render_over", render: order.id })];
    return decision(studio, { replies, effects });
  }
  const isSent = studio.sent + studio.running < limits.renders.runningMax;
  const create = { kind: "create", order, isSent, request } as const;
  const effects = [birth(renderKey(order.id), create), ...rememberSubmit(message, ctx)];
  if (isSent) return decision({ ...studio, sent: studio.sent + 1 }, { effects });
  const key = waitingRendersKey(ctx.self);
  const rows = [put(key, [...(ctx.get(key) ?? []), order.id])];
  return decision({ ...studio, waiting: studio.waiting + 1 }, { rows, effects });
}

function duplicate(digest: string | undefined, ctx: Context): Refusal | undefined {
  if (digest === undefined) return undefined;
  const tombstone = ctx.get(tombstoneKey(getPartition(ctx.self), "submitted", digest));
  // The tombstone may have expired without having been removed yet.
  if (tombstone?.kind !== "submitted" || tombstone.expiresAtMs <= ctx.atMs) return undefined;
  return { code: "duplicate_render", render: tombstone.render };
}

function rememberSubmit({ digest, order }: Submit, { self, atMs }: Context): Tell[] {
  if (digest === undefined) return [];
  const expiresAtMs = atMs + limits.jobs.duplicateWindowMs;
  const tombstone = { kind: "submitted", render: order.id, expiresAtMs } as const;
  return [tell(tombstoneKey(getPartition(self), "submitted", digest), { kind: "set", tombstone })];
}

function findCrowding({ waiting, sent }: Studio): Refusal | undefined {
  const { queuedMax, retryAfterSeconds } = limits.renders;
  if (waiting + sent < queuedMax) return undefined;
  const detail = `At most ${queuedMax} renders of one account can be queued at once.`;
  return { code: "rate_limit", retryAfterSeconds, detail };
}

function follow(
  studio: Studio,
  { render, from, to }: Extract<StudioMessage, { kind: "render_moved" }>,
  ctx: Context,
): StudioDecision {
  const moved = countPlace(countPlace(studio, from, -1), to, 1);
  invariant(moved.sent >= 0 && moved.running >= 0, "a render leaves its place once");
  const key = waitingRendersKey(ctx.self);
  const listed = studio.waiting > 0 ? (ctx.get(key) ?? []) : [];
  const left = from === "waiting" ? listed.filter((id) => id !== render) : listed;
  const free = limits.renders.runningMax - moved.sent - moved.running;
  const next = left.slice(0, Math.max(0, free));
  if (next.length === 0 && left.length === listed.length) return decision(moved);
  return decision(
    { ...moved, waiting: left.length - next.length, sent: moved.sent + next.length },
    {
      rows: [put(key, left.slice(next.length))],
      effects: next.map((id) => tell(renderKey(id), { kind: "go" })),
    },
  );
}

function countPlace(studio: Studio, place: Place, by: 1 | -1): Studio {
  return place === "over" ? studio : { ...studio, [place]: studio[place] + by };
}
