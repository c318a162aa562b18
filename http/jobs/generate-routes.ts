/**
 * `POST /generate/...`, `/remove-background/video` and `/restore/video`: the request is parsed and
 * resolved, then the account accepts or refuses it in one durable step.
 */

import { resolveAudio } from "../../actors/generation/audio.ts";
import { resolveBackgroundRemoval } from "../../actors/generation/background-removal.ts";
import { getPromptMax, References, textFaults } from "../../actors/generation/faults.ts";
import type { Generation, Sources } from "../../actors/generation/generation.ts";
import { resolveImage } from "../../actors/generation/image.ts";
import { type Asking, chooseModel, findRefusal } from "../../actors/generation/model-choice.ts";
import { rewriteForVideo } from "../../actors/generation/prompt-rewriter.ts";
import { resolveRestoration } from "../../actors/generation/restoration.ts";
import { resolve3D } from "../../actors/generation/three-d.ts";
import { resolveVideo } from "../../actors/generation/video.ts";
import { born } from "../../actors/job/creation.ts";
import { accountKey, type Pay, type SubmitJob } from "../../actors/protocol/account-messages.ts";
import { packSubmit } from "../../actors/protocol/packed-submit.ts";
import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import type { Type } from "../../config/schema.ts";
import type { CostKind } from "../../contract/cost.ts";
import {
  EnhancedPrompt,
  EnhancePromptRequest,
  Generate3DRequest,
  GenerateAudioRequest,
  GenerateImageRequest,
  GenerateVideoRequest,
  RemoveBackgroundVideoRequest,
  RestoreVideoRequest,
} from "../../contract/generation.ts";
import { Job as JobView } from "../../contract/job.ts";
import { partitionOfId } from "../../engine/id.ts";
import { findWallet, visibleBalance } from "../accounts/wallet.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import { getDeprecationHeaders } from "./deprecation.ts";
import {
  buildJob,
  buildRequest,
  buildSubmitTerms,
  createSources,
  digestOfBody,
  getRequester,
} from "./submitting.ts";

interface Confirmable {
  readonly confirmation_token?: string;
}

export type Resolve<B> = (body: B, asking: Asking, sources: Sources) => Generation | Refusal;

/** A kind of submit that makes one job. */
interface Kind<B> {
  readonly kind: CostKind;
  readonly path: string;
  readonly summary: string;
  readonly schema: Type.TSchema;
  readonly resolve: Resolve<B>;
}

const image: Kind<GenerateImageRequest> = {
  kind: "image",
  path: "/v1/generate/image",
  summary: "Generate images",
  schema: GenerateImageRequest,
  resolve: resolveImage,
};

export const imagePath = image.path;

const video: Kind<GenerateVideoRequest> = {
  kind: "video",
  path: "/v1/generate/video",
  summary: "Generate a video",
  schema: GenerateVideoRequest,
  resolve: resolveVideo,
};

const audio: Kind<GenerateAudioRequest> = {
  kind: "audio",
  path: "/v1/generate/audio",
  summary: "Generate speech, music or a sound effect",
  schema: GenerateAudioRequest,
  resolve: resolveAudio,
};

const model3D: Kind<Generate3DRequest> = {
  kind: "three_d",
  path: "/v1/generate/3d",
  summary: "Generate a 3D model from photos",
  schema: Generate3DRequest,
  resolve: resolve3D,
};

const backgroundRemoval: Kind<RemoveBackgroundVideoRequest> = {
  kind: "video_background_removal",
  path: "/v1/remove-background/video",
  summary: "Remove the background of a video",
  schema: RemoveBackgroundVideoRequest,
  resolve: resolveBackgroundRemoval,
};

const restoration: Kind<RestoreVideoRequest> = {
  kind: "video_restoration",
  path: "/v1/restore/video",
  summary: "Restore and upscale a video",
  schema: RestoreVideoRequest,
  resolve: resolveRestoration,
};

export const generateRoutes: readonly Route[] = [
  submitRoute(image),
  submitRoute(video),
  submitRoute(audio),
  submitRoute(model3D),
  submitRoute(backgroundRemoval),
  submitRoute(restoration),
  route("POST", "/v1/generate/video/enhance-prompt", {
    summary: "Rewrite a video prompt for its target model",
    answers: { 200: EnhancedPrompt },
    access: "generate",
    needs: "submit",
    rate: "submit",
    isSubmit: true,
    takesKey: false,
    body: jsonBody<EnhancePromptRequest>(EnhancePromptRequest, limits.http.generationBodyMax),
    run: enhancePrompt,
  }),
];

function submitRoute<B extends Confirmable>(kind: Kind<B>): Route {
  return route("POST", kind.path, {
    summary: kind.summary,
    answers: { 202: JobView },
    access: "generate",
    needs: "submit",
    rate: "submit",
    isSubmit: true,
    body: jsonBody<B>(kind.schema, limits.http.generationBodyMax, ["provider_options"]),
    run: (call: Call<B>) => submit(call, kind),
  });
}

async function submit<B extends Confirmable>(call: Call<B>, kind: Kind<B>): Promise<Answer> {
  const { service, principal, body } = call;
  const generation = kind.resolve(body, getRequester(call), createSources(call));
  if ("code" in generation) throw new RefusalError(generation);
  const { canonical, model, price } = generation;
  const terms = buildSubmitTerms(call, {
    path: kind.path,
    kind: kind.kind,
    canonical,
    model: model.id,
    price,
    confirmationToken: body.confirmation_token,
  });
  const id = service.ids.under(partitionOfId(principal.scope));
  const isKeyed = call.request.headers["idempotency-key"] !== undefined;
  const keyless = isKeyed
    ? { bodyDigest: digestOfBody(call, kind.path, canonical, undefined) }
    : {};
  const jobRequest = buildRequest(call, id, generation, terms.fingerprint, keyless);
  const job = buildJob(jobRequest, generation);
  const message: SubmitJob = { kind: "submit", submit: packSubmit({ job, ...terms }) };
  const reply = await service.gateway.ask(accountKey(principal.scope), message, "work");
  const accepted = expectReply(reply, "accepted");
  const view = service.jobs.view({
    request: jobRequest,
    job: "job" in accepted ? accepted.job : born(job, accepted.atMs),
  });
  const location = ["Location", `${service.baseUrl}/jobs/${id}`] as const;
  return json(202, view, [location, ...getDeprecationHeaders(model, service)]);
}

/** Rewrites the prompt before charging, so that a failure costs nothing. */
async function enhancePrompt(call: Call<EnhancePromptRequest>): Promise<Answer> {
  const { service, principal, body, rate } = call;
  const model = chooseModel(getRequester(call), body.model, "video", "generate");
  if ("code" in model) throw new RefusalError(model);
  const references = new References(createSources(call));
  const frame = references.one(body.first_frame_asset_id, "/first_frame_asset_id", "image");
  const faults = textFaults(body.prompt, "prompt", 10_000, true);
  const refusal = findRefusal(model, principal.plan, faults, references.faults);
  if (refusal !== undefined) throw new RefusalError(refusal);
  const context = {
    durationSeconds: body.duration_seconds,
    aspectRatio: body.aspect_ratio,
    hasFirstFrame: frame !== undefined,
  };
  const original = body.prompt.trim();
  const prompt = rewriteForVideo(original, context, getPromptMax(model));
  const message: Pay = {
    kind: "pay",
    credits: limits.pricing.enhancePromptCredits,
    note: "Prompt rewritten",
    member: principal.organization === undefined ? undefined : principal.user.id,
    turn: principal.run,
    rateRetryAfterSeconds: rate?.isOver === true ? rate.resetSeconds : undefined,
  };
  const reply = await service.gateway.ask(accountKey(principal.scope), message, "work");
  expectReply(reply, "paid");
  const nowMs = service.clock.nowMs();
  const wallet = await findWallet(service.gateway, principal.scope, principal.user.id, nowMs);
  const view = {
    prompt,
    original_prompt: original,
    model: model.id,
    credits_charged: limits.pricing.enhancePromptCredits,
    balance_credits: visibleBalance(wallet, principal.role, nowMs),
  };
  return json(200, view, getDeprecationHeaders(model, service));
}
