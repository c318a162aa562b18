/**
 * Submits a set: its members in order, in one step. If the first member is refused, that refusal is
 * the answer and nothing is created; a later refusal ends the submitting, and accepted jobs keep
 * running. Later members take slots as earlier jobs end.
 */

import { limits } from "../../config/limits.ts";
import {
  answer,
  birth,
  type Context,
  decision,
  put,
  type RowWrite,
  type Tell,
} from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import {
  type Account,
  type AccountDecision,
  getPool,
  refuse,
  waitingKey,
} from "../protocol/account.ts";
import type { SetCandidate, SubmitSet } from "../protocol/account-messages.ts";
import { type CreateJob, jobKey } from "../protocol/job.ts";
import { type OutputSet, type SetMember, setKey } from "../protocol/set.ts";
import type { Refusal } from "../refusal.ts";
import { accept, consumption, firstRefusal, memberRefusal, requestRows } from "./submit.ts";
import { findCeiling } from "./unpaid-use.ts";

export function submitSet(
  account: Account,
  message: SubmitSet,
  ctx: Context<ReplyTo<SubmitSet>>,
): AccountDecision {
  const [first] = message.members;
  if (first === undefined) return decision(account);
  const refusal = refusalOfFirst(account, message, first, ctx);
  if (refusal !== undefined) return refuse(account, refusal, ctx);
  const progress: Progress = {
    account,
    counted: account,
    rows: [],
    tells: [],
    waiting: [],
    members: [],
  };
  for (const candidate of message.members) admit(progress, message, candidate, ctx);
  const { members, waiting, rows, tells } = progress;
  const set: OutputSet = { ...message.set, members };
  const [accepted] = members;
  const firstJob = accepted !== undefined && "job" in accepted ? accepted.job : message.set.id;
  const queue = waitingKey(ctx.self);
  const next: Account = {
    ...progress.account,
    sets: account.sets + 1,
    waiting: account.waiting + waiting.length,
  };
  const queued = waiting.length === 0 ? [] : [put(queue, [...(ctx.get(queue) ?? []), ...waiting])];
  return decision(next, {
    rows: [
      ...requestRows(message, firstJob, ctx),
      put(setKey(set.scope, set.id), set),
      ...rows,
      ...queued,
    ],
    replies: answer(ctx, { kind: "accepted_set" }),
    effects: [...tells, ...consumption(message, ctx)],
  });
}

function refusalOfFirst(
  account: Account,
  message: SubmitSet,
  { work }: SetCandidate,
  ctx: Context,
): Refusal | undefined {
  if ("code" in work) return work;
  const refusal = firstRefusal(account, message, work, ctx);
  if (refusal !== undefined) return refusal;
  const room = limits.sets.waitingMax - account.waiting;
  if (message.members.length <= room) return undefined;
  const ceiling = findCeiling(account, account, message, getPool(work.modality), ctx);
  return { code: "concurrency", ...ceiling };
}

interface Progress {
  account: Account;
  /** The account before the set. */
  readonly counted: Account;
  readonly rows: RowWrite[];
  readonly tells: Tell[];
  readonly waiting: string[];
  readonly members: SetMember[];
}

function admit(
  progress: Progress,
  message: SubmitSet,
  { label, work }: SetCandidate,
  ctx: Context,
): void {
  const last = progress.members.at(-1);
  if (last !== undefined && !("job" in last)) {
    progress.members.push({ label });
    return;
  }
  const seen = overlayRows(ctx, progress.rows);
  const refusal = "code" in work ? work : laterRefusal(progress, message, work, seen);
  if ("code" in work || refusal !== undefined) {
    if (refusal !== undefined) progress.members.push({ label, refusal });
    return;
  }
  const { job, modality } = work;
  const pool = getPool(modality);
  const { max, active } = findCeiling(progress.account, progress.counted, message, pool, ctx);
  const isFree = active < max;
  const accepted = accept(progress.account, work, isFree, seen);
  progress.account = accepted.account;
  progress.rows.push(...accepted.rows);
  progress.tells.push(
    ...accepted.tells,
    birth(jobKey(job), isFree ? work : { ...work, waits: true }),
  );
  if (!isFree) progress.waiting.push(job);
  progress.members.push({ label, job });
}

/** Checks a member after the first; the first was checked before the set was accepted. */
function laterRefusal(
  { account, members }: Progress,
  message: SubmitSet,
  work: CreateJob,
  ctx: Context,
): Refusal | undefined {
  if (members.length === 0) return undefined;
  return memberRefusal(account, message, work, ctx);
}

/** Returns a context in which later members see the rows that earlier members wrote. */
function overlayRows(ctx: Context, rows: readonly RowWrite[]): Context {
  return {
    self: ctx.self,
    atMs: ctx.atMs,
    request: ctx.request,
    get(key) {
      const written = rows.findLast((row) => row.key === key);
      return written === undefined ? ctx.get(key) : (written.value as never);
    },
  };
}
