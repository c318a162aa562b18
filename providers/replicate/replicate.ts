/**
 * Adapter `replicate`: the HTTP API of replicate.com, and of servers that speak it.
 *
 * Its calls are at documented paths, so URLs of its answers are not needed. Callbacks are signed
 * by Standard Webhooks, with a secret of the configuration or one that the API tells.
 */

import type { CancelAnswer } from "../../actors/protocol/job.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { check, Type } from "../../config/schema.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { AdapterPorts, OpenAdapter } from "../adapter.ts";
import { KeyCache } from "../key-cache.ts";
import { type ModerationRefusal, moderationFinder } from "../moderation.ts";
import {
  cancelAnswer,
  isPrediction,
  type Prediction,
  predictionId,
  predictionStatus,
  refuseInput,
} from "../predictions.ts";
import {
  type Callback,
  type CallbackVerdict,
  GoneError,
  type Health,
  type Provider,
  type ProviderRef,
  type ProviderResult,
  type ProviderStatus,
  type ProviderTraits,
  ReplyError,
  type Submission,
  type SubmitOutcome,
} from "../provider.ts";
import {
  answerToSubmit,
  checkAvailable,
  healthBy,
  ProviderHttp,
  plainOutcome,
  understand,
} from "../provider-http.ts";
import { isGone, type Reply } from "../replies.ts";
import { resultFiles } from "../result-files.ts";
import { readState } from "../state-words.ts";
import {
  isSignedWith,
  isStandardWebhook,
  parseWebhookSecret,
  type WebhookSecret,
} from "../webhook-signatures.ts";

class Replicate implements Provider {
  private readonly traits: ProviderTraits;
  private readonly http: ProviderHttp;
  private readonly clock: Clock;
  private readonly secrets: KeyCache<WebhookSecret>;
  private readonly findModeration: (text: string) => ModerationRefusal | undefined;
  /** References of open jobs, by prediction id. */
  private readonly refsById = new Map<string, ProviderRef>();

  constructor(config: ProviderConfig, ports: AdapterPorts) {
    const { name, key, webhookSecret, moderationPatterns } = config;
    this.http = new ProviderHttp(config, ports, key === undefined ? undefined : `Bearer ${key}`);
    this.clock = ports.clock;
    this.findModeration = moderationFinder(moderationPatterns);
    const configured =
      webhookSecret === undefined ? undefined : [parseWebhookSecret(webhookSecret)];
    this.secrets = new KeyCache(async () => configured ?? this.fetchSecrets(), ports.clock);
    this.traits = {
      name,
      isInProcess: false,
      idempotentSubmit: false,
      cancel: "any",
      callback: "signed",
      progress: false,
      reportsBilling: false,
    };
  }

  describe(): ProviderTraits {
    return this.traits;
  }

  async submit(submission: Submission): Promise<SubmitOutcome> {
    const { model, input, callbackUrl: webhook, timeLeftMs, typicalSeconds } = submission;
    const { path, version } = getModelPlace(model);
    const events = webhook === undefined ? undefined : ["completed"];
    const seconds = Math.max(cancelSecondsMin, Math.floor(timeLeftMs / 1000));
    const call = {
      method: "POST",
      headers: { "cancel-after": `${seconds}s` },
      json: { ...omitUndefined({ version, webhook, webhook_events_filter: events }), input },
    } as const;
    const answer = await answerToSubmit(this.http.ask(path, call));
    return answer.kind === "answered" ? this.parseSubmitted(answer.reply, typicalSeconds) : answer;
  }

  private parseSubmitted(reply: Reply, typicalSeconds: number): SubmitOutcome {
    const plain = plainOutcome(reply, this.clock.nowMs());
    if (plain !== undefined) return plain;
    if (reply.status >= 400)
      return { kind: "refused", ...refuseInput(reply, this.findModeration), billed: false };
    if (reply.status >= 300 || !isPrediction(reply.json)) return { kind: "unknown" };
    const ref = getRef(reply.json.id, typicalSeconds);
    this.refsById.set(reply.json.id, ref);
    return { kind: "accepted", ref, status: this.getStatus(reply.json, typicalSeconds) };
  }

  async status(ref: ProviderRef): Promise<ProviderStatus> {
    const job = parseRef(ref);
    if (job === undefined) return { state: "lost" };
    this.refsById.set(job.id, ref);
    const prediction = await this.read(job.id);
    return prediction === undefined
      ? { state: "lost" }
      : this.getStatus(prediction, job.typicalSeconds);
  }

  async result(ref: ProviderRef): Promise<ProviderResult> {
    const job = parseRef(ref);
    const prediction = job && (await this.read(job.id));
    const hasResult = prediction !== undefined && readState(prediction.status) === "succeeded";
    if (!hasResult || prediction.data_removed === true)
      throw new GoneError("the provider has no result of the prediction");
    return { files: resultFiles(prediction.output) };
  }

  async cancel(ref: ProviderRef): Promise<CancelAnswer> {
    const job = parseRef(ref);
    if (job === undefined) return { kind: "failed" };
    const reply = await this.http.ask(`${getPath(job.id)}/cancel`, { method: "POST" });
    if (reply.status === 404) return { kind: "failed" };
    if (reply.status === 405) return { kind: "unsupported" };
    checkAvailable(reply);
    let answer = cancelAnswer(understand(isPrediction, reply), job.typicalSeconds);
    for (let reads = 0; answer === undefined && reads < limits.providers.cancelReads; reads++) {
      await this.pause(limits.providers.cancelReadMs);
      const prediction = await this.read(job.id);
      answer = prediction && cancelAnswer(prediction, job.typicalSeconds);
    }
    return answer ?? { kind: "requested" };
  }

  async verifyCallback(callback: Callback, nowMs: number): Promise<CallbackVerdict> {
    if (!isStandardWebhook(callback, nowMs)) return { ok: false };
    if (!(await this.secrets.isVerified((secret) => isSignedWith(secret, callback))))
      return { ok: false };
    const id = parsePrediction(callback.rawBody);
    const { of } = callback;
    // After a submit without an answer, the callback is the first to name the prediction.
    const named = id !== undefined && of !== undefined ? getRef(id, of.typicalSeconds) : undefined;
    const ref = this.refsById.get(id ?? "") ?? named;
    return { ok: true, ...omitUndefined({ ref }) };
  }

  health(): Promise<Health> {
    return healthBy(this.http.ask("/v1/account"), () => "up");
  }

  forget(ref: ProviderRef): void {
    const job = parseRef(ref);
    if (job !== undefined) this.refsById.delete(job.id);
  }

  /** The prediction, or undefined when it does not exist. */
  private async read(id: string): Promise<Prediction | undefined> {
    const reply = await this.http.ask(getPath(id));
    if (isGone(reply)) return undefined;
    checkAvailable(reply);
    const prediction = understand(isPrediction, reply);
    if (reply.status !== 200 || prediction.id !== id)
      throw new ReplyError("The provider returned a different prediction than requested.");
    return prediction;
  }

  private getStatus(prediction: Prediction, typicalSeconds: number): ProviderStatus {
    return predictionStatus(prediction, typicalSeconds, this.findModeration);
  }

  private async fetchSecrets(): Promise<readonly WebhookSecret[]> {
    const reply = await this.http.ask("/v1/webhooks/default/secret");
    checkAvailable(reply);
    return [parseWebhookSecret(understand(isSecret, reply).key)];
  }

  private pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(delayMs, resolve));
  }
}

export const openReplicate: OpenAdapter = (config, ports) => new Replicate(config, ports);

/** Smallest value that `Cancel-After` accepts, in seconds. */
const cancelSecondsMin = 5;

const isSecret = check<{ readonly key: string }>(
  Type.Object({ key: Type.String({ pattern: "^whsec_[A-Za-z0-9+/]{16,256}={0,2}$" }) }),
);

/** Path for a model `owner/name`, `owner/name:version` or `deployment:owner/name`. */
function getModelPlace(model: string): {
  readonly path: string;
  readonly version: string | undefined;
} {
  const deployment = /^deployment:(.+)$/.exec(model)?.[1];
  const [name = "", version] = (deployment ?? model).split(":");
  if (version !== undefined) return { path: "/v1/predictions", version };
  const parts = name.split("/").map((part) => `/${encodeURIComponent(part)}`);
  const kind = deployment === undefined ? "models" : "deployments";
  return { path: `/v1/${kind}${parts.join("")}/predictions`, version };
}

function getPath(id: string): string {
  return `/v1/predictions/${id}`;
}

/** Joins the prediction's id and typical duration, which a cancel after a restart needs. */
function getRef(id: string, typicalSeconds: number): ProviderRef {
  return `${id}~${typicalSeconds.toFixed(3)}`;
}

const refPattern = new RegExp(`^(${predictionId})~(\\d{1,9}\\.\\d{3})$`);

function parseRef(
  ref: ProviderRef,
): { readonly id: string; readonly typicalSeconds: number } | undefined {
  const [, id, seconds] = refPattern.exec(ref) ?? [];
  if (id === undefined) return undefined;
  return { id, typicalSeconds: Math.max(Number(seconds), 0.001) };
}

const hasId = check<{ readonly id: string }>(Type.Object({ id: Type.String() }));

function parsePrediction(rawBody: Uint8Array): string | undefined {
  try {
    const body: unknown = JSON.parse(Buffer.from(rawBody).toString("utf8"));
    return hasId(body) ? body.id : undefined;
  } catch {
    return undefined;
  }
}
