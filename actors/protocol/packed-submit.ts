/**
 * Packs a submit as one flat list on its way to its shard: an object sent between threads is copied
 * member by member with its names, and a submit has many members. The list takes half the time,
 * which saves 3 % of a submit's CPU.
 */

import type { Draft } from "../../engine/actor.ts";
import type { CreateJob } from "./job.ts";
import type { Submit } from "./submit-terms.ts";

export type PackedSubmit = ReturnType<typeof packSubmit>;

export function packSubmit(submit: Submit) {
  const { job: create } = submit;
  return [
    submit.fingerprint,
    submit.confirmation,
    submit.plan,
    submit.overrides,
    submit.rateRetryAfterSeconds,
    create.job,
    create.scope,
    create.modality,
    create.modelTag,
    create.provider,
    create.hold,
    create.count,
    create.asked,
    create.work,
    create.bodyDigest,
    create.deadlineSeconds,
    create.inlineMs,
    create.member,
    create.turn,
    create.tags,
    create.trace,
  ] as const;
}

export function unpackSubmit([
  fingerprint,
  confirmation,
  plan,
  overrides,
  rateRetryAfterSeconds,
  job,
  scope,
  modality,
  modelTag,
  provider,
  hold,
  count,
  asked,
  work,
  bodyDigest,
  deadlineSeconds,
  inlineMs,
  member,
  turn,
  tags,
  trace,
]: PackedSubmit): Submit {
  const create: Draft<CreateJob> = {
    kind: "create",
    job,
    scope,
    modality,
    modelTag,
    provider,
    hold,
    count,
    asked,
    work,
    bodyDigest,
    deadlineSeconds,
    inlineMs,
    request: undefined,
  };
  if (member !== undefined) create.member = member;
  if (turn !== undefined) create.turn = turn;
  if (tags !== undefined) create.tags = tags;
  if (trace !== undefined) create.trace = trace;
  return { job: create, fingerprint, confirmation, plan, overrides, rateRetryAfterSeconds };
}
