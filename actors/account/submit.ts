/**
 * The account's part of a submit, in the order of the specification; the first check that refuses
 * answers, and nothing is held for a refused submit. Steps 1 and 2 (credential, shape, model,
 * assets) are done when a submit arrives here.
 */

import type { Modality } from "../../config/modalities.ts";
import { getAllowance } from "../../config/plans.ts";
import {
  birth,
  type Context,
  decision,
  put,
  type RowWrite,
  type Tell,
  tell,
} from "../../engine/actor.ts";
import { type Id, idBytes, idOfBytes } from "../../engine/id.ts";
import { getPartition } from "../../engine/key.ts";
import {
  type Account,
  type AccountDecision,
  type AccountDraft,
  available,
  change,
  countIndex,
  getPool,
  ledgerKey,
  modelPlace,
  refuse,
} from "../protocol/account.ts";
import { type CreateJob, jobKey, jobRequestKey, type SubmitReply } from "../protocol/job.ts";
import { fingerprintKey, type Submit, type SubmitTerms } from "../protocol/submit-terms.ts";
import { tombstoneKey } from "../protocol/tombstone.ts";
import type { Refusal } from "../refusal.ts";
import { commitSpending, memberBudget } from "./budget.ts";
import { countMember } from "./member-counts.ts";
import { commit, refusalOfRun } from "./run.ts";
import { storageRefusal } from "./storage.ts";
import { findCeiling, findCreator } from "./unpaid-use.ts";

type Step = (
  account: Account,
  terms: SubmitTerms,
  job: CreateJob,
  ctx: Context,
) => Refusal | undefined;

/** Checks made once for the whole request; `storage` belongs to step 2. */
const firstSteps: readonly Step[] = [storage, duplicate, confirmation];
/** Checks made for each job, with the request's own checks at their places in the order. */
const steps: readonly Step[] = [
  run,
  findModeration,
  requestRate,
  concurrency,
  quota,
  budget,
  wallet,
];
/** Checks for each later member of a set, which may wait for its slot. */
const memberSteps: readonly Step[] = [run, findModeration, quota, budget, wallet];

export function submit(
  account: Account,
  message: Submit,
  ctx: Context<SubmitReply>,
): AccountDecision {
  const refusal = firstRefusal(account, message, message.job, ctx);
  if (refusal !== undefined) return refuse(account, refusal, ctx);
  const accepted = accept(account, message.job, true, ctx);
  const { job } = message.job;
  const create = birth(jobKey(job), { ...message.job, request: ctx.request });
  const rows = [...requestRows(message, job, ctx), ...accepted.rows];
  return decision(accepted.account, {
    rows,
    effects: [create, ...accepted.tells, ...consumption(message, ctx)],
  });
}

export function firstRefusal(
  account: Account,
  terms: SubmitTerms,
  job: CreateJob,
  ctx: Context,
): Refusal | undefined {
  return (
    findRefusal(firstSteps, account, terms, job, ctx) ??
    findRefusal(steps, account, terms, job, ctx)
  );
}

export function memberRefusal(
  account: Account,
  terms: SubmitTerms,
  job: CreateJob,
  ctx: Context,
): Refusal | undefined {
  return findRefusal(memberSteps, account, terms, job, ctx);
}

function findRefusal(
  checks: readonly Step[],
  account: Account,
  terms: SubmitTerms,
  job: CreateJob,
  ctx: Context,
): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(account, terms, job, ctx);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function storage(
  account: Account,
  terms: SubmitTerms,
  _: CreateJob,
  ctx: Context,
): Refusal | undefined {
  return storageRefusal(account, terms, 0, findCreator(account, ctx));
}

/** Refuses a duplicate. If the content filter refused the earlier job, that refusal is repeated. */
function duplicate(
  account: Account,
  terms: SubmitTerms,
  create: CreateJob,
  ctx: Context,
): Refusal | undefined {
  const earlier = ctx.get(fingerprintKey(getPartition(ctx.self), terms.fingerprint));
  if (earlier === undefined) return undefined;
  const job = idOfBytes(earlier);
  const ended = ctx.get(jobKey(job));
  const isModerated = ended?.phase === "failed" && ended.failure.kind === "moderated";
  const remembered = isModerated ? findModeration(account, terms, create, ctx) : undefined;
  if (remembered !== undefined) return remembered;
  const set = ctx.get(jobRequestKey(job))?.set;
  return set === undefined ? { code: "duplicate", job } : { code: "duplicate", job, set };
}

function confirmation(
  _: Account,
  { confirmation: found }: SubmitTerms,
  __: CreateJob,
  ctx: Context,
): Refusal | undefined {
  if (found === undefined) return undefined;
  if (found.kind === "rejected") return { code: "confirmation_rejected", reason: found.reason };
  const isUsed =
    ctx.get(tombstoneKey(getPartition(ctx.self), "consumed", found.digest)) !== undefined;
  return isUsed ? { code: "confirmation_rejected", reason: "consumed" } : undefined;
}

function run(
  _: Account,
  __: SubmitTerms,
  { turn: ofTurn, hold }: CreateJob,
  ctx: Context,
): Refusal | undefined {
  return ofTurn === undefined ? undefined : refusalOfRun(ofTurn, hold, ctx);
}

function findModeration(
  { remembered }: Account,
  _: SubmitTerms,
  { bodyDigest }: CreateJob,
  ctx: Context,
): Refusal | undefined {
  if (remembered === 0) return undefined;
  const digest = Buffer.from(bodyDigest, "hex").toString("latin1");
  const tombstone = ctx.get(tombstoneKey(getPartition(ctx.self), "refused", digest));
  // The tombstone may have expired without having been removed yet.
  if (tombstone?.kind !== "refused" || tombstone.expiresAtMs <= ctx.atMs) return undefined;
  const detail =
    "The content filter has already refused this request; change the prompt or the media.";
  return { code: "moderated", as: tombstone.code, isRemembered: true, detail };
}

export function requestRate(
  _: unknown,
  { rateRetryAfterSeconds }: { readonly rateRetryAfterSeconds: number | undefined },
): Refusal | undefined {
  if (rateRetryAfterSeconds === undefined) return undefined;
  return { code: "rate_limit", retryAfterSeconds: rateRetryAfterSeconds };
}

function concurrency(
  account: Account,
  terms: SubmitTerms,
  { modality }: CreateJob,
  ctx: Context,
): Refusal | undefined {
  const { max, active } = findCeiling(account, account, terms, getPool(modality), ctx);
  return active < max ? undefined : { code: "concurrency", max, active };
}

const dayMs = 86_400_000;

function quota(
  account: Account,
  { plan, overrides }: SubmitTerms,
  _: CreateJob,
  { atMs }: Context,
): Refusal | undefined {
  const perDay = getAllowance(plan, overrides).generationsPerDay;
  const used = countUsedToday(account, atMs);
  if (perDay === undefined || used < perDay) return undefined;
  const resetsAtMs = (getDay(atMs) + 1) * dayMs;
  return { code: "quota", quota: perDay, used, resetsAtMs };
}

function budget(
  _: Account,
  __: SubmitTerms,
  { member, hold }: CreateJob,
  ctx: Context,
): Refusal | undefined {
  return memberBudget(member, hold, ctx);
}

export function wallet(
  account: Account,
  _: unknown,
  { hold }: { readonly hold: number },
): Refusal | undefined {
  const balanceCredits = available(account);
  if (hold <= balanceCredits) return undefined;
  return { code: "out_of_credits", creditsRequired: hold, balanceCredits };
}

interface Accepted {
  readonly account: Account;
  readonly rows: readonly RowWrite[];
  readonly tells: readonly Tell[];
}

/** Takes hold, slot and quota and writes the ledger; the caller creates the job in that step. */
export function accept(
  account: Account,
  { job, modality, modelTag, hold, member, turn: ofTurn }: CreateJob,
  takesSlot: boolean,
  ctx: Context,
): Accepted {
  const counts = account.counts.slice();
  const place = countIndex(modality, "queued");
  change(counts, place, 1);
  const next: AccountDraft = { ...account };
  next.held += hold;
  if (takesSlot) next.active = withSlots(account, modality, 1);
  next.counts = counts;
  next.models = withModel(account.models, modality, modelTag);
  next.quota = { day: getDay(ctx.atMs), used: countUsedToday(account, ctx.atMs) + 1 };
  if (hold !== 0) next.ledgerLength++;
  const tells = ofTurn === undefined ? undefined : commit(ofTurn, hold, job, ctx);
  const entries = [{ type: "hold", amount: -hold, balance: available(next) }] as const;
  const ledger = { atMs: ctx.atMs, job, entries };
  const counted = countMember(member, [[place, 1]], ctx);
  const rows =
    hold === 0
      ? counted
      : [
          put(ledgerKey(ctx.self, account.ledgerLength), ledger),
          ...commitSpending(member, hold, ctx),
          ...counted,
        ];
  if (tells === undefined) return { account: next, rows, tells: [] };
  return { account: next, rows: [...rows, ...tells.rows], tells: tells.tells };
}

export function withSlots({ active }: Account, modality: Modality, by: number): Account["active"] {
  const { media, three_d } = active;
  return getPool(modality) === "media"
    ? { media: media + by, three_d }
    : { media, three_d: three_d + by };
}

function withModel(models: readonly number[], modality: Modality, tag: number): readonly number[] {
  const place = modelPlace(modality, tag);
  return models.includes(place) ? models : [...models, place];
}

/** The request's fingerprint row, which leads to the job. */
export function requestRows({ fingerprint }: SubmitTerms, job: Id, ctx: Context): RowWrite[] {
  return [put(fingerprintKey(getPartition(ctx.self), fingerprint), idBytes(job))];
}

/** Marks a confirmation token as used by the submit that it confirmed. */
export function consumption({ confirmation: found }: SubmitTerms, ctx: Context): Tell[] {
  if (found?.kind !== "valid") return [];
  const { digest, expiresAtMs } = found;
  const tombstone = { kind: "consumed", expiresAtMs } as const;
  return [
    tell(tombstoneKey(getPartition(ctx.self), "consumed", digest), { kind: "set", tombstone }),
  ];
}

export function countUsedToday({ quota }: Account, atMs: number): number {
  return quota.day === getDay(atMs) ? quota.used : 0;
}

/** Returns the number of UTC days since 1970. */
export function getDay(atMs: number): number {
  return Math.floor(atMs / dayMs);
}
