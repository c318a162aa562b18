/** Literals that tests of accounts and jobs share. */

import { buildCreation } from "../../actors/job/creation.ts";
import { type Account, assetIndex, change, countIndex } from "../../actors/protocol/account.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import {
  type CreateJob,
  type Job,
  type JobRequest,
  jobKey,
  type QueuedJob,
  type RunningJob,
  type Terms,
} from "../../actors/protocol/job.ts";
import type { Submit } from "../../actors/protocol/submit-terms.ts";
import { modalities } from "../../config/modalities.ts";
import { assetStatuses } from "../../contract/asset.ts";
import { jobStatuses } from "../../contract/job.ts";
import type { Context } from "../../engine/actor.ts";
import type { Key } from "../../engine/key.ts";

/** The time of the tests: noon on a Friday (UTC). */
export const nowMs = Date.UTC(2026, 10, 20, 12);
export const scope = "01990000-0000-7021-8000-000000000001";
export const job = "01990000-0000-7021-8000-00000000000a";
export const earlier = "01990000-0000-7021-8000-000000000009";
export const user = "01990000-0000-7021-8000-000000000001";
export const fingerprint = "fedcba9876543210";

/** The context of a turn, at `nowMs` by default, caused by request 7, which sees `rows`. */
export function view(
  self: Key,
  rows: Readonly<Record<Key, unknown>> = {},
  atMs = nowMs,
): Context<unknown> {
  return { self, atMs, request: 7, get: <Row>(key: Key<Row>) => rows[key] as Row | undefined };
}

export const self = accountKey(scope);
export const jobSelf = jobKey(job);

/** Builds counts of jobs by `modality status`, only as long as the last index that is set. */
export function counts(byName: Readonly<Record<string, number>>): number[] {
  const counted: number[] = [];
  for (const modality of modalities)
    for (const status of jobStatuses) {
      const count = byName[`${modality} ${status}`];
      if (count !== undefined) change(counted, countIndex(modality, status), count);
    }
  return counted;
}

/** Builds an account's counts of assets by `modality status`, in the same way. */
export function assetCounts(byName: Readonly<Record<string, number>>): number[] {
  const counted: number[] = [];
  for (const modality of modalities)
    for (const status of assetStatuses) {
      const count = byName[`${modality} ${status}`];
      if (count !== undefined) change(counted, assetIndex(modality, status), count);
    }
  return counted;
}

/** An account on the plan `pro`: 4 slots, 4,000 credits a month, 2,000 generations a day. */
export const account: Account = {
  plan: "pro",
  createdAtMs: nowMs,
  granted: 100,
  held: 0,
  spent: 0,
  planLeft: 100,
  renewsAtMs: Date.UTC(2026, 11, 1),
  active: { media: 0, three_d: 0 },
  counts: counts({}),
  quota: { day: 0, used: 0 },
  ledgerLength: 1,
  tickets: 0,
  models: [7],
  waiting: 0,
  remembered: 0,
  sets: 0,
  assets: assetCounts({}),
  stored: 0,
};

export const jobRequest: JobRequest = {
  id: job,
  scope,
  user,
  modality: "image",
  model: "sim-instant",
  prompt: "a kite",
  displayName: "a kite",
  tags: [],
  createdAtMs: nowMs,
  task: "sim-instant",
  input: { seed: 0, width: 1024, height: 1024, count: 1, format: "png" },
  promptAs: "prompt",
  typicalSeconds: 10,
  fingerprint: "66656463626139383736353433323130",
};

export const create: CreateJob = buildCreation(jobRequest, {
  provider: "sim",
  hold: 10,
  count: 1,
  deadlineSeconds: 600,
  modelTag: 7,
  inlineMs: 0,
});

export const submitted: Submit = {
  job: create,
  fingerprint,
  confirmation: undefined,
  plan: "pro",
  rateRetryAfterSeconds: undefined,
};

export const terms: Terms = {
  job,
  scope,
  modality: "image",
  modelTag: 7,
  provider: "sim",
  hold: 10,
  count: 1,
  createdAtMs: nowMs,
};

export const queued: QueuedJob = {
  phase: "queued",
  terms,
  revision: 1,
  updatedAtMs: nowMs,
  deadlineMs: nowMs + 600_000,
  attempts: 0,
};

export const running: RunningJob = {
  phase: "running",
  terms,
  revision: 2,
  updatedAtMs: nowMs,
  deadlineMs: nowMs + 600_000,
  attempts: 0,
  startedAtMs: nowMs,
  progress: 0,
};

export function onFarm<J extends Job>(job: J): J {
  return { ...job, terms: { ...job.terms, provider: "farm" } };
}
