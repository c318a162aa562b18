/** `POST /jobs/cost`: answers what a submit would cost, without submitting or charging anything. */

import { resolveAudio } from "../../actors/generation/audio.ts";
import { resolveBackgroundRemoval } from "../../actors/generation/background-removal.ts";
import type { Generation } from "../../actors/generation/generation.ts";
import { resolveImage } from "../../actors/generation/image.ts";
import { resolveRestoration } from "../../actors/generation/restoration.ts";
import { resolveSet, type SetGeneration } from "../../actors/generation/set.ts";
import { resolve3D } from "../../actors/generation/three-d.ts";
import { resolveVideo } from "../../actors/generation/video.ts";
import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import {
  type CostKind,
  JobCostQuote,
  JobCostRequest,
  type JobCostQuote as Quote,
} from "../../contract/cost.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { findWallet, spendable, visibleBalance } from "../accounts/wallet.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import { getDeprecationHeaders } from "./deprecation.ts";
import { createSources, getRequester } from "./submitting.ts";

export const costRoutes: readonly Route[] = [
  route("POST", "/v1/jobs/cost", {
    summary: "Quote a submit",
    answers: { 200: JobCostQuote },
    access: "generate",
    needs: "read",
    rate: "read",
    body: jsonBody<JobCostRequest>(JobCostRequest, limits.http.generationBodyMax, [
      "provider_options",
    ]),
    run: quote,
  }),
];

type Resolved = Generation | SetGeneration;

async function quote(call: Call<JobCostRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const { kind } = body;
  const resolved = resolve(call, kind);
  if ("code" in resolved) throw new RefusalError(within(kind, resolved));
  const { model, price, canonical } = resolved;
  const nowMs = service.clock.nowMs();
  const { user, scope } = principal;
  const offer = { user: user.id, scope, kind, canonical, model: model.id, price };
  const { token, expiresAtMs } = service.quotes.issue(offer);
  const wallet = await findWallet(service.gateway, scope, user.id, nowMs);
  const { durationSeconds, quality, settings } = resolved.quoted();
  const view: Quote = {
    kind,
    model: model.id,
    credits: price,
    basis: kind === "set" ? "set_run" : "one_generation",
    settings: settings.map(([label, value]) => ({ label, value })),
    balance_credits: visibleBalance(wallet, principal.role, nowMs),
    sufficient_credits: price <= spendable(wallet, nowMs),
    confirmation_token: token,
    expires_at: timestamp(expiresAtMs),
  };
  if ("submitted" in resolved) view.members = resolved.submitted.length;
  if (durationSeconds !== undefined) view.duration_seconds = durationSeconds;
  if (quality !== undefined) view.quality = quality;
  return json(200, view, getDeprecationHeaders(model, service));
}

/** The body has exactly the member that `kind` names. */
function resolve(call: Call<JobCostRequest>, kind: CostKind): Resolved | Refusal {
  const { kind: _, ...bodies } = call.body;
  const faults: Fault[] = Object.keys(bodies)
    .filter((name) => name !== kind)
    .map((name) => ({ pointer: `/${name}`, detail: `cannot be combined with the kind ${kind}` }));
  if (faults.length > 0) throw new RefusalError({ code: "validation", faults });
  const asking = getRequester(call);
  const sources = createSources(call);
  const { image, video, audio, three_d, set } = bodies;
  const { video_background_removal: removal, video_restoration: restoration } = bodies;
  if (image !== undefined) return resolveImage(image, asking, sources);
  if (video !== undefined) return resolveVideo(video, asking, sources);
  if (audio !== undefined) return resolveAudio(audio, asking, sources);
  if (three_d !== undefined) return resolve3D(three_d, asking, sources);
  if (set !== undefined) return resolveSet(set, asking, sources);
  if (removal !== undefined) return resolveBackgroundRemoval(removal, asking, sources);
  if (restoration !== undefined) return resolveRestoration(restoration, asking, sources);
  const missing = { pointer: `/${kind}`, detail: "is required" };
  throw new RefusalError({ code: "validation", faults: [missing] });
}

function within(kind: CostKind, refusal: Refusal): Refusal {
  if (refusal.code !== "validation") return refusal;
  const faults = refusal.faults.map(({ pointer, detail }) => ({
    pointer: `/${kind}${pointer}`,
    detail,
  }));
  return { ...refusal, faults };
}
