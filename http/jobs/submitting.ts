/**
 * The steps that all submits share, from a parsed request to the message that the account decides
 * on. Steps 1 and 2 of the submit's checks end here.
 */

import { hash } from "node:crypto";
import { nameAsset } from "../../actors/asset/asset-view.ts";
import type { Generation, Sources } from "../../actors/generation/generation.ts";
import type { Asking } from "../../actors/generation/model-choice.ts";
import { buildCreation } from "../../actors/job/creation.ts";
import { modelTag } from "../../actors/job/job-index.ts";
import { assetKey } from "../../actors/protocol/asset.ts";
import { type CreateJob, type JobRequest, jobRequestKey } from "../../actors/protocol/job.ts";
import type { SubmitTerms } from "../../actors/protocol/submit-terms.ts";
import { isFarm } from "../../config/providers/providers.ts";
import type { CostKind } from "../../contract/cost.ts";
import { type Id, parseId } from "../../engine/id.ts";
import type { HttpRequest } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { getTrace } from "../request/trace-parent.ts";
import type { Call } from "../route.ts";

/** The catalogue and plan against which a call is resolved. */
export function getRequester({ service, principal }: Call<unknown, unknown>): Asking {
  return { catalogue: service.catalogue, plan: principal.plan };
}

/** Only assets that are ready and that the caller may see can be referred to. */
export function createSources({ service, principal }: Call<unknown, unknown>): Sources {
  return (name) => {
    const id = parseId(name);
    const asset =
      id === undefined ? undefined : service.gateway.read(assetKey(principal.scope, id));
    if (asset === undefined || asset.phase !== "ready") return undefined;
    const job = "job" in asset.origin ? asset.origin.job : undefined;
    const displayName = () => {
      const request = job === undefined ? undefined : service.gateway.read(jobRequestKey(job));
      return nameAsset(asset, request);
    };
    return { id: asset.id, job, media: asset.media, displayName };
  };
}

interface Request {
  readonly path: string;
  readonly kind: CostKind;
  readonly canonical: string;
  readonly model: string;
  readonly price: number;
  readonly confirmationToken: string | undefined;
}

/** Throws `RefusalError`: 400 for an invalid Idempotency-Key, 503 without free space. */
export function buildSubmitTerms(call: Call<unknown, unknown>, request: Request): SubmitTerms {
  const { service, principal, rate } = call;
  const key = idempotencyKey(call.request);
  if (service.health.isDiskLow) throw new RefusalError(noRoom);
  const { kind, canonical, model, price, confirmationToken } = request;
  const offer = () => ({
    user: principal.user.id,
    scope: principal.scope,
    kind,
    canonical,
    model,
    price,
  });
  return {
    fingerprint: digestOfBody(call, request.path, canonical, key),
    confirmation: service.quotes.check(confirmationToken, offer),
    plan: principal.plan,
    overrides: principal.overrides,
    rateRetryAfterSeconds: rate?.isOver === true ? rate.resetSeconds : undefined,
  };
}

/**
 * Digest of account, context, route, canonical body, and the key or its absence; 16 bytes as a
 * binary string.
 */
export function digestOfBody(
  { principal }: Call<unknown, unknown>,
  path: string,
  canonical: string,
  key: string | undefined,
): string {
  const { user, scope } = principal;
  const keyed = key === undefined ? "" : `=${key}`;
  const text = `${user.id}\n${scope}\n${path}\n${canonical}\n${keyed}`;
  return hash("sha256", text, "binary").slice(0, 16);
}

/** Builds the record of a request; `more` holds its body's digest and the set it belongs to. */
export function buildRequest(
  { service, principal, request }: Call<unknown, unknown>,
  id: Id,
  generation: Generation,
  fingerprint: string,
  more: { readonly bodyDigest?: string; readonly set?: Id } = {},
): JobRequest {
  const { model, modality, prompt, enhancedPrompt, displayName, promptAs, parent } = generation;
  return {
    id,
    scope: principal.scope,
    user: principal.user.id,
    modality,
    model: model.id,
    prompt,
    tags: generation.tags,
    createdAtMs: service.clock.nowMs(),
    task: model.provider_model,
    input: generation.input,
    typicalSeconds: model.typical_seconds,
    fingerprint: encodeHex(fingerprint),
    displayName,
    promptAs,
    enhancedPrompt,
    set: more.set,
    turn: principal.run,
    parent,
    surface: getSurface(request),
    trace: getTrace(request),
    bodyDigest: more.bodyDigest === undefined ? undefined : encodeHex(more.bodyDigest),
    accepted: generation.accepted,
    subject: prompt === "" ? (generation.subject ?? model.display_name) : undefined,
  };
}

/** Builds the job that the account is asked to accept. */
export function buildJob(request: JobRequest, { model, price, count }: Generation): CreateJob {
  return buildCreation(request, {
    modelTag: hashTag(model.id),
    provider: model.provider,
    hold: price,
    count,
    deadlineSeconds: model.deadline_seconds,
    inlineMs: isFarm(model.provider) ? 0 : model.inline_submit_ms,
  });
}

const tagByModel = new Map<string, number>();

function hashTag(model: string): number {
  const known = tagByModel.get(model) ?? modelTag(model);
  tagByModel.set(model, known);
  return known;
}

function encodeHex(digest: string): string {
  return Buffer.from(digest, "latin1").toString("hex");
}

const noRoom = {
  code: "unavailable",
  retryAfterSeconds: 60,
  detail: "The service is short of disk space and accepts no new work.",
} as const;

/** Reads the Idempotency-Key header. Throws `RefusalError` with 400. */
export function idempotencyKey({ headers }: HttpRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = "must be 1 to 255 visible ASCII characters";
  const faults = [{ pointer: "", detail: `The header Idempotency-Key ${detail}` }];
  throw new RefusalError({ code: "validation", faults });
}

function getSurface({ headers }: HttpRequest): string | undefined {
  const surface = headers["x-service-surface"];
  return surface !== undefined && /^[a-z][a-z0-9_-]{0,31}$/.test(surface) ? surface : undefined;
}
