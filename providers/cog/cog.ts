/**
 * Adapter `cog`: servers that cog builds around one model each, usually on machines of one's own.
 *
 *   submit --> starting --callback--> processing --callback--> succeeded, failed, canceled
 *                  '--------- idle for 30 s without a callback ---------> lost
 *
 * 1. Such a server cannot be asked for a prediction: its last callback brings the outcome, outputs
 *    included. That is kept in memory as the answer to the status read that follows, until the job
 *    is forgotten; after a restart it is lost with the process.
 * 2. The id of a prediction follows from the job. It is never put again once the server took it,
 *    since a finished id would start anew.
 * 3. Callbacks are not signed. The token of a job is the service's to check; one job's token says
 *    nothing of another job.
 */

import type { CancelAnswer } from "../../actors/protocol/job.ts";
import { limits } from "../../config/limits.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import { check, Type } from "../../config/schema.ts";
import type { Id } from "../../engine/id.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { AdapterPorts, OpenAdapter } from "../adapter.ts";
import { type ModerationRefusal, moderationFinder } from "../moderation.ts";
import { isPrediction, type Prediction, predictionStatus, refuseInput } from "../predictions.ts";
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
import { type Reply, unavailable } from "../replies.ts";
import { resultFiles } from "../result-files.ts";

/** What is known of a prediction; all times are readings of the monotonic clock. */
interface Known {
  /** Typical duration of the job; undefined when another process submitted it. */
  readonly typicalSeconds?: number;
  startedAtMs?: number;
  /** Time since which the server has been idle, as seen by status reads. */
  idleSinceMs?: number | undefined;
  outcome?: Outcome;
  /** When a callback first named it; undefined if it was submitted or read here. */
  unaskedSinceMs?: number | undefined;
}

interface Outcome {
  readonly status: ProviderStatus;
  readonly output: unknown;
  /** Size of the callback that delivered the outcome. */
  readonly bytes: number;
}

class Cog implements Provider {
  private readonly traits: ProviderTraits;
  private readonly http: ProviderHttp;
  private readonly clock: Clock;
  private readonly findModeration: (text: string) => ModerationRefusal | undefined;
  private readonly known = new Map<ProviderRef, Known>();
  private outcomeBytes = 0;

  constructor(config: ProviderConfig, ports: AdapterPorts) {
    const { name, key, moderationPatterns } = config;
    this.http = new ProviderHttp(config, ports, key === undefined ? undefined : `Bearer ${key}`);
    this.clock = ports.clock;
    this.findModeration = moderationFinder(moderationPatterns);
    this.traits = {
      name,
      isInProcess: false,
      idempotentSubmit: false,
      cancel: "any",
      callback: "token_only",
      progress: false,
      reportsBilling: false,
    };
  }

  describe(): ProviderTraits {
    return this.traits;
  }

  async submit(submission: Submission): Promise<SubmitOutcome> {
    const { job, input, callbackUrl: webhook, typicalSeconds } = submission;
    const ref = getPrediction(job);
    // Registered before the call, as callbacks may arrive before the answer.
    this.known.set(ref, { typicalSeconds });
    const call = {
      method: "PUT",
      headers: { prefer: "respond-async" },
      json: { input, webhook, webhook_events_filter: ["start", "completed"] },
    } as const;
    const answer = await answerToSubmit(this.http.ask(getPath(ref), call));
    const outcome = answer.kind === "answered" ? this.parseSubmitted(answer.reply, ref) : answer;
    if (outcome.kind !== "accepted" && outcome.kind !== "unknown") this.forget(ref);
    return outcome;
  }

  private parseSubmitted(reply: Reply, ref: ProviderRef): SubmitOutcome {
    // All of the server's slots are taken.
    const status = reply.status === 409 ? 429 : reply.status;
    const plain = plainOutcome({ ...reply, status }, this.clock.nowMs());
    if (plain !== undefined) return plain;
    if (reply.status >= 400)
      return { kind: "refused", ...refuseInput(reply, this.findModeration), billed: false };
    const { json } = reply;
    if (status >= 300 || !isPrediction(json) || json.id !== ref) return { kind: "unknown" };
    this.learn(json, 0);
    const known = this.ask(ref);
    return { kind: "accepted", ref, status: known.outcome?.status ?? openState(known) };
  }

  async status(ref: ProviderRef): Promise<ProviderStatus> {
    if (!isRef(ref)) return { state: "lost" };
    const { outcome } = this.ask(ref);
    if (outcome !== undefined) return outcome.status;
    const { status } = await this.serverState();
    const known = this.ask(ref);
    return known.outcome?.status ?? this.statusBy(status, known);
  }

  private statusBy(server: ServerState["status"], known: Known): ProviderStatus {
    if (server === "SETUP_FAILED" || server === "DEFUNCT") return { state: "lost" };
    if (server !== "READY") {
      known.idleSinceMs = undefined;
      return openState(known);
    }
    const nowMs = this.clock.monotonicMs();
    known.idleSinceMs ??= nowMs;
    const isLost = nowMs - known.idleSinceMs >= limits.providers.idleLostMs;
    return isLost ? { state: "lost" } : openState(known);
  }

  async result(ref: ProviderRef): Promise<ProviderResult> {
    const outcome = this.known.get(ref)?.outcome;
    if (outcome?.status.state !== "succeeded")
      throw new GoneError("no result of the prediction came with a callback");
    return { files: resultFiles(outcome.output) };
  }

  async cancel(ref: ProviderRef): Promise<CancelAnswer> {
    if (!isRef(ref)) return { kind: "failed" };
    const reply = await this.http.ask(`${getPath(ref)}/cancel`, { method: "POST" });
    const known = this.known.get(ref) ?? {};
    const isOver = known.outcome !== undefined && known.outcome.status.state !== "canceled";
    if (isOver) return { kind: "refused" };
    switch (reply.status) {
      case 200:
        return this.answerStopped(known);
      case 404:
        return { kind: "failed" };
      case 405:
        return { kind: "unsupported" };
      default:
        throw unavailable(reply);
    }
  }

  /** The server does not report what it stopped; its callback does, but too late on a restart. */
  private answerStopped({ typicalSeconds, startedAtMs }: Known): CancelAnswer {
    if (typicalSeconds === undefined) return { kind: "requested" };
    if (startedAtMs === undefined) return { kind: "cancelled" };
    const ranMs = this.clock.monotonicMs() - startedAtMs;
    return { kind: "stopped_partway", billedFraction: Math.min(1, ranMs / 1000 / typicalSeconds) };
  }

  /** Rejects with a `PortError` while too many outputs wait to be stored; cog calls again. */
  async verifyCallback({ of, rawBody }: Callback): Promise<CallbackVerdict> {
    if (of === undefined) return { ok: false };
    const body = parse(rawBody);
    if (!isPrediction(body)) return { ok: true };
    const ref = getPrediction(of.job);
    if (body.id !== ref) return { ok: false };
    this.learn(body, rawBody.length);
    return { ok: true, ref };
  }

  /** Keeps the first outcome and ignores later ones. */
  private learn(prediction: Prediction, bytes: number): void {
    this.dropUnasked();
    const known = this.known.get(prediction.id) ?? { unaskedSinceMs: this.clock.monotonicMs() };
    if (known.outcome !== undefined) return;
    const status = predictionStatus(prediction, known.typicalSeconds ?? 1, this.findModeration);
    if (status.state === "queued") return;
    if (status.state === "running") {
      known.startedAtMs ??= this.clock.monotonicMs();
    } else {
      if (this.outcomeBytes + bytes > limits.providers.outcomeBytesMax)
        throw new PortError("too many outputs wait to be stored", true);
      this.outcomeBytes += bytes;
      known.outcome = { status, output: prediction.output, bytes };
    }
    this.known.set(prediction.id, known);
  }

  /** Drops old unread callbacks, whose jobs are forgotten or were to be read after a restart. */
  private dropUnasked(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [ref, { unaskedSinceMs }] of this.known)
      if (unaskedSinceMs !== undefined && nowMs - unaskedSinceMs >= limits.providers.outcomeMs)
        this.forget(ref);
  }

  health(): Promise<Health> {
    return healthBy(this.http.ask(healthPath), (reply) => {
      const { status } = understand(isServerState, reply);
      if (status === "SETUP_FAILED" || status === "DEFUNCT") return "down";
      return status === "READY" || status === "BUSY" ? "up" : "degraded";
    });
  }

  forget(ref: ProviderRef): void {
    this.outcomeBytes -= this.known.get(ref)?.outcome?.bytes ?? 0;
    this.known.delete(ref);
  }

  private async serverState(): Promise<ServerState> {
    const reply = await this.http.ask(healthPath);
    checkAvailable(reply);
    return understand(isServerState, reply);
  }

  private ask(ref: ProviderRef): Known {
    const known = this.known.get(ref) ?? {};
    known.unaskedSinceMs = undefined;
    this.known.set(ref, known);
    return known;
  }
}

export const openCog: OpenAdapter = (config, ports) => new Cog(config, ports);

/** A prediction of another process is assumed to have started by now. */
function openState({ typicalSeconds, startedAtMs }: Known): ProviderStatus {
  const hasStarted = startedAtMs !== undefined || typicalSeconds === undefined;
  return { state: hasStarted ? "running" : "queued" };
}

const healthPath = "/health-check";

/** `STARTING`, `READY`, `BUSY`, `SETUP_FAILED`, `DEFUNCT`, `UNHEALTHY`, or an unknown status. */
interface ServerState {
  readonly status: string;
}

const isServerState = check<ServerState>(Type.Object({ status: Type.String() }));

/** Formats the 128 bits of a job's id as 26 digits of base 32. */
function getPrediction(job: Id): ProviderRef {
  return BigInt(`0x${job.replaceAll("-", "")}`)
    .toString(32)
    .padStart(26, "0");
}

function isRef(ref: ProviderRef): boolean {
  return /^[0-9a-v]{26}$/.test(ref);
}

function getPath(ref: ProviderRef): string {
  return `/predictions/${ref}`;
}

function parse(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(rawBody).toString("utf8"));
  } catch {
    return undefined;
  }
}
