/**
 * `POST /generate/...`: step 1 and 2 of the submit's checks; the account does the rest in one
 * durable turn.
 */
import { hash } from "node:crypto";
import type { Submit } from "../../actors/account/account.ts";
import { GenerateImageRequest } from "../../actors/contract/generate-image.ts";
import { Job as JobView } from "../../actors/contract/job.ts";
import { type ImageGeneration, resolveImage } from "../../actors/generation/image.ts";
import { accountKey } from "../../actors/tables.ts";
import { limits } from "../../config/limits.ts";
import { type Id, vpartOfId } from "../../engine/id.ts";
import { type Answer, type HttpRequest, jsonText } from "../answer.ts";
import { requirePermission } from "../permissions.ts";
import { RefusalError } from "../refusal-error.ts";
import { expectReply } from "../replies.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";

const imagePath = "/v1/generate/image";

export const generateRoutes: readonly Route[] = [
  route("POST", imagePath, {
    summary: "Generate images",
    answers: { 202: JobView },
    access: "generate",
    rate: "submit",
    isSubmit: true,
    body: jsonBody<GenerateImageRequest>(GenerateImageRequest, limits.http.generationBodyMax, [
      "provider_options",
    ]),
    run: generateImage,
  }),
];

async function generateImage(call: Call<GenerateImageRequest>): Promise<Answer> {
  const { service, principal, body, request } = call;
  requirePermission(principal, "submit");
  const key = idempotencyKey(request);
  const generation = resolveImage(body, service.catalogue, principal.plan);
  if ("code" in generation) throw new RefusalError(generation);
  if (service.health.isDiskLow) throw new RefusalError(noRoom);
  const job = service.ids.under(vpartOfId(principal.scope));
  const fingerprint = fingerprintOf(call, generation, key);
  const message = submitOf(call, generation, job, fingerprint);
  const reply = await service.gateway.ask(accountKey(principal.scope), message, "work");
  const accepted = expectReply<{ kind: "accepted"; body: string }>(reply, "accepted");
  return jsonText(202, accepted.body, [["Location", `${service.baseUrl}/jobs/${job}`]]);
}

const noRoom = {
  code: "unavailable",
  retryAfterSeconds: 60,
  detail: "The service is short of disk space and takes no new work.",
} as const;

function submitOf(
  { service, principal, body, request, rate }: Call<GenerateImageRequest>,
  { model, prompt, displayName, tags, price, input }: ImageGeneration,
  job: Id,
  fingerprint: string,
): Submit {
  return {
    kind: "submit",
    fingerprint,
    hasConfirmationToken: body.confirmation_token !== undefined,
    plan: principal.plan,
    overrides: principal.overrides,
    rateRetryAfterSeconds: rate?.isOver === true ? rate.resetSeconds : undefined,
    job: {
      kind: "create",
      provider: model.provider === "sim" ? "sim" : "farm",
      hold: price,
      deadlineSeconds: model.deadline_seconds,
      request: undefined,
      asked: {
        id: job,
        scope: principal.scope,
        user: principal.user.id,
        modality: "image",
        model: model.id,
        prompt,
        displayName,
        tags,
        surface: surfaceOf(request),
        createdAtMs: service.clock.nowMs(),
        input,
        typicalSeconds: model.typical_seconds,
        fingerprint: Buffer.from(fingerprint, "latin1").toString("hex"),
      },
    },
  };
}

/** Over account, context, route, canonical body, and the key or its absence; 16 bytes. */
function fingerprintOf(
  { principal }: Call,
  { canonical }: ImageGeneration,
  key: string | undefined,
): string {
  const { user, scope } = principal;
  const text = [user.id, scope, imagePath, canonical, key === undefined ? "" : `=${key}`].join(
    "\n",
  );
  return Buffer.from(hash("sha256", text, "hex").slice(0, 32), "hex").toString("latin1");
}

function idempotencyKey({ headers }: HttpRequest): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = "must be 1 to 255 visible ASCII characters";
  const faults = [{ pointer: "", detail: `The header Idempotency-Key ${detail}` }];
  throw new RefusalError({ code: "validation", faults });
}

function surfaceOf({ headers }: HttpRequest): string | null {
  const surface = headers["x-service-surface"];
  return surface !== undefined && /^[a-z][a-z0-9_-]{0,31}$/.test(surface) ? surface : null;
}
