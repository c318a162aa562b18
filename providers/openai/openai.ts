/**
 * Adapter `openai`: OpenAI's API for images, speech and videos, and self-hosted servers that speak
 * it (`dialect`).
 *
 * Images and speech are answered at once, so their calls run inside the adapter
 * (`synchronous-calls.ts`); a video is asked for later (`videos.ts`). References tell which: that
 * of a video names it, that of a call is the submission's.
 */

import type { CancelAnswer } from "../../actors/protocol/job.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { check, Type } from "../../config/schema.ts";
import type { AdapterPorts, OpenAdapter } from "../adapter.ts";
import { moderationFinder } from "../moderation.ts";
import type {
  Callback,
  CallbackVerdict,
  Health,
  Provider,
  ProviderRef,
  ProviderResult,
  ProviderStatus,
  ProviderTraits,
  Submission,
  SubmitOutcome,
} from "../provider.ts";
import { healthBy, ProviderHttp } from "../provider-http.ts";
import {
  isSignedWith,
  isStandardWebhook,
  parseWebhookSecret,
  type WebhookSecret,
} from "../webhook-signatures.ts";
import { videoId } from "./openai-replies.ts";
import { openaiRequest } from "./openai-requests.ts";
import { SynchronousCalls } from "./synchronous-calls.ts";
import { getVideo, Videos, videoRef } from "./videos.ts";

class Openai implements Provider {
  private readonly traits: ProviderTraits;
  private readonly http: ProviderHttp;
  private readonly dialect: ProviderConfig["dialect"];
  private readonly calls: SynchronousCalls;
  private readonly videos: Videos;
  private readonly webhookSecret: WebhookSecret | undefined;

  constructor(config: ProviderConfig, ports: AdapterPorts) {
    const { name, key, dialect, webhookSecret, deleteCancels, resultBytesMax } = config;
    const { clock } = ports;
    const http = new ProviderHttp(config, ports, key === undefined ? undefined : `Bearer ${key}`);
    const findModeration = moderationFinder(config.moderationPatterns);
    const bytesMax = resultBytesMax ?? limits.providers.resultBytesMax;
    const heldBytesMax = limits.providers.outcomeBytesMax;
    this.http = http;
    this.dialect = dialect;
    this.calls = new SynchronousCalls({ http, clock, findModeration, bytesMax, heldBytesMax });
    this.videos = new Videos({ http, clock, findModeration, deleteCancels });
    this.webhookSecret =
      webhookSecret === undefined ? undefined : parseWebhookSecret(webhookSecret);
    this.traits = {
      name,
      isInProcess: false,
      idempotentSubmit: false,
      cancel: "any",
      callback: webhookSecret === undefined ? "none" : "signed",
      // Only videos report progress.
      progress: true,
      reportsBilling: false,
    };
  }

  describe(): ProviderTraits {
    return this.traits;
  }

  async submit(submission: Submission): Promise<SubmitOutcome> {
    const request = await openaiRequest(submission, this.dialect);
    if (request === undefined) return unmade;
    if (request.answer === "video") return this.videos.submit(request);
    const { job, number, timeLeftMs } = submission;
    return this.calls.submit(`${job}:${number}`, request, timeLeftMs);
  }

  async status(ref: ProviderRef): Promise<ProviderStatus> {
    const video = getVideo(ref);
    return video === undefined ? this.calls.status(ref) : this.videos.status(video);
  }

  async result(ref: ProviderRef): Promise<ProviderResult> {
    const video = getVideo(ref);
    return video === undefined ? this.calls.result(ref) : this.videos.result(video);
  }

  async cancel(ref: ProviderRef): Promise<CancelAnswer> {
    const video = getVideo(ref);
    return video === undefined ? this.calls.cancel(ref) : this.videos.cancel(video);
  }

  /** Webhooks report all videos of the provider's account. */
  async verifyCallback(callback: Callback, nowMs: number): Promise<CallbackVerdict> {
    const { webhookSecret } = this;
    if (webhookSecret === undefined || !isStandardWebhook(callback, nowMs)) return { ok: false };
    if (!isSignedWith(webhookSecret, callback)) return { ok: false };
    return { ok: true, ...omitUndefined({ ref: refIn(callback.rawBody) }) };
  }

  health(): Promise<Health> {
    const path = this.dialect === "sglang" ? "/models" : "/v1/models";
    return healthBy(this.http.ask(path), ({ status }) => (status === 200 ? "up" : "degraded"));
  }

  forget(ref: ProviderRef): void {
    this.calls.forget(ref);
  }

  close(): void {
    this.calls.close();
  }
}

export const openOpenai: OpenAdapter = (config, ports) => new Openai(config, ports);

const unmade: SubmitOutcome = {
  kind: "refused",
  class: "upstream",
  message: "The provider of this model does not make 3D models.",
};

interface Event {
  readonly data: { readonly id: string };
}
const isEvent = check<Event>(
  Type.Object({
    type: Type.Union([Type.Literal("video.completed"), Type.Literal("video.failed")]),
    data: Type.Object({ id: Type.String({ pattern: `^${videoId}$` }) }),
  }),
);

/** Reference of the video in an event; undefined for events of other kinds. */
function refIn(rawBody: Uint8Array): ProviderRef | undefined {
  try {
    const event: unknown = JSON.parse(Buffer.from(rawBody).toString("utf8"));
    return isEvent(event) ? videoRef(event.data.id) : undefined;
  } catch {
    return undefined;
  }
}
