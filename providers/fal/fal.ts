/**
 * Adapter `fal`: queues that speak the protocol of fal.ai.
 *
 *   submit --> IN_QUEUE --> IN_PROGRESS --> COMPLETED, and then the result says how it ended
 *
 * 1. A request that is COMPLETED may have failed: the status read that finds it so reads the result
 *    as well, and keeps it for `result`, which follows.
 * 2. What is kept in memory of a request only spares reads and sharpens the answer to a cancel;
 *    the reference is enough to go on after a restart.
 */

import type { CancelAnswer } from "../../actors/protocol/job.ts";
import { omitUndefined } from "../../config/defined.ts";
import { limits } from "../../config/limits.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import type { AdapterPorts, OpenAdapter } from "../adapter.ts";
import { readText } from "../advice.ts";
import { moderationBy } from "../moderation.ts";
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
import { isGone, type Reply, unavailable } from "../replies.ts";
import { isAllFlagged, resultFiles } from "../result-files.ts";
import { readState } from "../state-words.ts";
import { FalCallbacks, parseRequest } from "./fal-callbacks.ts";
import { type FalRequest, falPaths, falPlaces, falRef, parseFalRef } from "./fal-ref.ts";
import {
  type FalStatus,
  falBilling,
  falFailure,
  getDeliveredOutput,
  hasRun,
  isOfModel,
  isStatus,
  isSubmitted,
} from "./fal-replies.ts";

interface Known {
  readonly ref: ProviderRef;
  /** State as of the latest read. */
  state?: "queued" | "running";
  isToBeCanceled: boolean;
  result?: ProviderResult;
}

class Fal implements Provider {
  private readonly traits: ProviderTraits;
  private readonly http: ProviderHttp;
  private readonly callbacks: FalCallbacks;
  private readonly ports: AdapterPorts;
  /** Known requests, by the provider's own id. */
  private readonly known = new Map<string, Known>();

  constructor(config: ProviderConfig, ports: AdapterPorts) {
    this.ports = ports;
    const { key } = config;
    this.http = new ProviderHttp(config, ports, key === undefined ? undefined : `Key ${key}`);
    this.callbacks = new FalCallbacks(config.jwksUrl, ports);
    this.traits = {
      name: config.name,
      isInProcess: false,
      idempotentSubmit: false,
      cancel: "any",
      callback: "signed",
      progress: false,
      reportsBilling: true,
    };
  }

  describe(): ProviderTraits {
    return this.traits;
  }

  async submit({
    model,
    input,
    callbackUrl,
    timeLeftMs,
    ...more
  }: Submission): Promise<SubmitOutcome> {
    const { submit, app } = falPaths(model);
    const query =
      callbackUrl === undefined ? "" : `?fal_webhook=${encodeURIComponent(callbackUrl)}`;
    const headers = {
      "x-fal-queue-priority": "normal",
      "x-fal-request-timeout": String(Math.max(startSecondsMin, Math.floor(timeLeftMs / 1000))),
      "x-fal-object-lifecycle-preference": JSON.stringify({
        expiration_duration_seconds: limits.providers.resultLifeSeconds,
      }),
    };
    const call = { method: "POST", json: input, headers } as const;
    const answer = await answerToSubmit(this.http.ask(`${submit}${query}`, call));
    if (answer.kind !== "answered") return answer;
    return this.parseSubmitted(answer.reply, app, more.expectedUnits);
  }

  private parseSubmitted(reply: Reply, app: string, units: number | undefined): SubmitOutcome {
    const plain = plainOutcome(reply, this.ports.clock.nowMs());
    if (plain !== undefined) return plain;
    if (reply.status >= 400) {
      const { class: why, message } = falFailure(reply);
      return { kind: "refused", class: why, message, billed: false };
    }
    const ref = isSuccess(reply) ? this.getRef(reply.json, app, units) : undefined;
    if (ref === undefined) return { kind: "unknown" };
    return { kind: "accepted", ref, status: { state: "queued" } };
  }

  /** Keeps given URLs that are the provider's own and differ from the documented ones. */
  private getRef(json: unknown, app: string, units: number | undefined): ProviderRef | undefined {
    if (!isSubmitted(json)) return undefined;
    const plain = { id: json.request_id, app, ...omitUndefined({ units }) };
    const places = falPlaces(plain);
    const checkGivenUrl = (url: unknown, place: string) => {
      const own = this.http.ownUrl(url);
      return own?.endsWith(place) ? undefined : own;
    };
    const urls = {
      status_url: checkGivenUrl(json.status_url, places.status),
      response_url: checkGivenUrl(json.response_url, places.response),
      cancel_url: checkGivenUrl(json.cancel_url, places.cancel),
    };
    const ref = falRef({ ...plain, ...omitUndefined(urls) });
    if (ref !== undefined)
      this.known.set(plain.id, { ref, state: "queued", isToBeCanceled: false });
    return ref;
  }

  async status(ref: ProviderRef): Promise<ProviderStatus> {
    const request = this.parse(ref);
    if (request === undefined) return { state: "lost" };
    const known = this.know(ref, request);
    const reply = await this.http.ask(withoutLogs(falPlaces(request).status));
    checkAvailable(reply);
    if (!isSuccess(reply)) return explainMissing(reply, known);
    const status = understand(isStatus, reply);
    const state = readState(status.status);
    if (state !== "queued" && state !== "running") return this.readEnd(request, known, status);
    known.state = state;
    return { state };
  }

  private async readEnd(
    request: FalRequest,
    known: Known,
    status: FalStatus,
  ): Promise<ProviderStatus> {
    const { error_type: errorType, error } = status;
    const reply = await this.http.ask(falPlaces(request).response);
    if (isSuccess(reply)) return this.success(request, known, reply);
    const isFailure = isOfModel(reply) || error != null;
    if (!isFailure || reply.status === 429) checkAvailable(reply);
    if (isGone(reply) && error == null && !known.isToBeCanceled)
      throw new GoneError("the provider has the result no more");
    if (!isFailure || isGone(reply)) return explainMissing(reply, known);
    const unbilled = hasRun(status) ? {} : { billed: false };
    const billing = { ...unbilled, ...falBilling(reply, request.units) };
    const { isOfInput, ...failure } = falFailure(reply, errorType);
    const isFiltered = failure.class.startsWith("moderation");
    const isCanceled = known.isToBeCanceled || /cancel/i.test(readText(errorType) ?? "");
    if (isCanceled && !isFiltered) return { state: "canceled", ...billing };
    return { state: "failed", ...failure, atOutput: hasRun(status) && !isOfInput, ...billing };
  }

  private success({ units }: FalRequest, known: Known, reply: Reply): ProviderStatus {
    const output = getDeliveredOutput(reply.json);
    if (isAllFlagged(output))
      return { state: "failed", ...moderationBy(""), atOutput: true, ...falBilling(reply, units) };
    known.result = { files: resultFiles(output) };
    return { state: "succeeded" };
  }

  async result(ref: ProviderRef): Promise<ProviderResult> {
    const request = this.parse(ref);
    if (request === undefined) throw new GoneError("the provider does not know the request");
    const { result } = this.know(ref, request);
    if (result !== undefined) return result;
    const reply = await this.http.ask(falPlaces(request).response);
    checkAvailable(reply);
    if (reply.status !== 200) throw new GoneError(`the result answers ${reply.status}`);
    return { files: resultFiles(getDeliveredOutput(reply.json)) };
  }

  async cancel(ref: ProviderRef): Promise<CancelAnswer> {
    const request = this.parse(ref);
    if (request === undefined) return { kind: "failed" };
    const reply = await this.http.ask(falPlaces(request).cancel, { method: "PUT" });
    switch (reply.status) {
      case 200:
        if (isCanceled(reply.json)) return { kind: "cancelled" };
        throw new ReplyError(
          "The provider's response to the cancellation could not be interpreted.",
        );
      case 202: {
        const known = this.know(ref, request);
        known.isToBeCanceled = true;
        return { kind: (await this.isRemoved(request, known)) ? "cancelled" : "requested" };
      }
      case 400:
        return { kind: "refused" };
      case 404:
        return { kind: "failed" };
      case 405:
        return { kind: "unsupported" };
      default:
        throw unavailable(reply);
    }
  }

  /** Older servers report that they asked a runner even for requests that they removed. */
  private async isRemoved(request: FalRequest, { state }: Known): Promise<boolean> {
    if (state !== "queued") return false;
    const reply = await this.http.ask(withoutLogs(falPlaces(request).status));
    return isMissing(reply);
  }

  async verifyCallback(callback: Callback, nowMs: number): Promise<CallbackVerdict> {
    if (!(await this.callbacks.isSigned(callback, nowMs))) return { ok: false };
    const id = parseRequest(callback.rawBody);
    const { of } = callback;
    // After a submit without an answer, the callback is the first to name the request.
    const named =
      id !== undefined && of !== undefined
        ? falRef({ id, app: falPaths(of.model).app, ...omitUndefined({ units: of.expectedUnits }) })
        : undefined;
    const ref = this.known.get(id ?? "")?.ref ?? named;
    return { ok: true, ...omitUndefined({ ref }) };
  }

  /** The API has no health call, so a request that cannot exist is queried. */
  health(): Promise<Health> {
    return healthBy(this.http.ask(withoutLogs(falPlaces(nowhere).status)), () => "up");
  }

  forget(ref: ProviderRef): void {
    const request = parseFalRef(ref);
    if (request !== undefined) this.known.delete(request.id);
  }

  /** Keeps only URLs of this provider's current origin, since its operator may have moved it. */
  private parse(ref: ProviderRef): FalRequest | undefined {
    const request = parseFalRef(ref);
    if (request === undefined) return undefined;
    const { id, app, units } = request;
    const urls = {
      status_url: this.http.ownUrl(request.status_url),
      response_url: this.http.ownUrl(request.response_url),
      cancel_url: this.http.ownUrl(request.cancel_url),
    };
    return { id, app, ...omitUndefined({ units, ...urls }) };
  }

  private know(ref: ProviderRef, { id }: FalRequest): Known {
    const known = this.known.get(id) ?? { ref, isToBeCanceled: false };
    this.known.set(id, known);
    return known;
  }
}

export const openFal: OpenAdapter = (config, ports) => new Fal(config, ports);

/** A start timeout must be above one second. */
const startSecondsMin = 2;

const nowhere: FalRequest = { id: "00000000-0000-0000-0000-000000000000", app: "/klieg/health" };

function withoutLogs(place: string): string {
  return `${place}${place.includes("?") ? "&" : "?"}logs=0`;
}

function isSuccess({ status }: Reply): boolean {
  return status === 200 || status === 202;
}

function isMissing(reply: Reply): boolean {
  return isGone(reply) || reply.status === 400 || reply.status === 422;
}

/** Explains a missing request: it is lost, unless it was removed on our own order. */
function explainMissing(reply: Reply, { isToBeCanceled }: Known): ProviderStatus {
  if (!isMissing(reply))
    throw new ReplyError(
      `The provider's response (status ${reply.status}) could not be interpreted.`,
    );
  return isToBeCanceled ? { state: "canceled", billed: false } : { state: "lost" };
}

function isCanceled(json: unknown): boolean {
  return typeof json === "object" && json !== null && "status" in json && json.status === "OK";
}
