/**
 * The HTTP of all adapters: one provider's own API, with its key and its operator's headers. They
 * go to the provider's own origin alone; redirects are not followed. Each call ends after
 * `limits.providers.callMs`, its answer's body included.
 */
import { omitUndefined } from "../config/defined.ts";
import { limits } from "../config/limits.ts";
import type { ProviderConfig } from "../config/providers/provider-config.ts";
import type { Check } from "../config/schema.ts";
import { invariant } from "../engine/invariant.ts";
import type { Clock } from "../engine/ports/clock.ts";
import { PortError } from "../engine/ports/port-error.ts";
import { type WebAnswer, WebError, type WebRequest } from "../engine/ports/web.ts";
import type { AdapterPorts } from "./adapter.ts";
import type { FormBody } from "./form-body.ts";
import { type Health, ReplyError, type SubmitOutcome } from "./provider.ts";
import {
  isRefusedForNow,
  isUnpaid,
  type Reply,
  readReply,
  retryAfterMs,
  unavailable,
} from "./replies.ts";

type Ports = Pick<AdapterPorts, "web" | "clock">;

export interface ProviderCall {
  readonly method?: WebRequest["method"];
  /** Body of the request, sent as JSON. */
  readonly json?: unknown;
  /** Body of the request, sent unchanged if there is no `json`. */
  readonly body?: FormBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest silence in milliseconds; by default `limits.providers.callMs`. */
  readonly silenceMs?: number;
  /** Maximum size of the answer; by default `limits.providers.replyBytesMax`. */
  readonly bytesMax?: number;
}

export class ProviderHttp {
  private readonly ports: Ports;
  private readonly url: string;
  private readonly secretHeaders: Readonly<Record<string, string>>;

  /** `authorization` is in the provider's own format; undefined to send none. */
  constructor(
    { urls: [url], headers }: ProviderConfig,
    ports: Ports,
    authorization: string | undefined,
  ) {
    invariant(url !== undefined, "a provider has a URL");
    this.ports = ports;
    this.url = url;
    this.secretHeaders = { ...headers, ...omitUndefined({ authorization }) };
  }

  /**
   * `place` is a path below the provider's URL, or a URL from `ownUrl`. Throws `WebError` when no
   * answer comes, `ReplyError` when it is too large.
   */
  async ask(place: string, call: ProviderCall = {}): Promise<Reply> {
    return inTime(this.ports.clock, async (signal) =>
      readReply(await this.open(place, signal, call), call.bytesMax),
    );
  }

  /** Like `ask`, but does not read the body. */
  open(place: string, signal: AbortSignal, call: ProviderCall = {}): Promise<WebAnswer> {
    const { method = "GET", json, headers, silenceMs = limits.providers.callMs } = call;
    const url = place.startsWith("/") ? `${this.url}${place}` : place;
    invariant(this.ownUrl(url) !== undefined, "a provider's key goes to the provider alone");
    const sent = json === undefined ? call.body : jsonBody(json);
    const type = sent === undefined ? {} : { "content-type": sent.type };
    return this.ports.web.ask({
      ...omitUndefined({ body: sent?.bytes }),
      method,
      url,
      signal,
      redirectsMax: 0,
      mayBePrivate: true,
      silenceMs,
      headers: { accept: "application/json", ...type, ...headers, ...this.secretHeaders },
    });
  }

  /** Returns a URL that the provider gave, if it lies on the provider's own origin. */
  ownUrl(given: unknown): string | undefined {
    if (typeof given !== "string" || !URL.canParse(given)) return undefined;
    const { origin, href, username, password } = new URL(given);
    const isOwn = origin === new URL(this.url).origin && username === "" && password === "";
    return isOwn ? href : undefined;
  }
}

function jsonBody(json: unknown) {
  return { type: "application/json", bytes: JSON.stringify(json) };
}

/** Calls with a signal that aborts after `limits.providers.callMs`. */
export async function inTime<Answer>(
  clock: Clock,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  const stopTimer = clock.after(limits.providers.callMs, () => controller.abort());
  try {
    return await call(controller.signal);
  } finally {
    stopTimer();
  }
}

/** Outcome of a submit: the answer, or the meaning of a missing one. */
export async function answerToSubmit(
  ask: Promise<Reply>,
): Promise<{ kind: "answered"; reply: Reply } | { kind: "down" } | { kind: "unknown" }> {
  try {
    return { kind: "answered", reply: await ask };
  } catch (error) {
    if (error instanceof WebError && !error.wasSent) return { kind: "down" };
    if (error instanceof PortError || error instanceof ReplyError) return { kind: "unknown" };
    throw error;
  }
}

/** Interprets status codes that mean the same at every provider; undefined for all others. */
export function plainOutcome({ status, headers }: Reply, nowMs: number): SubmitOutcome | undefined {
  const later = omitUndefined({ retryAfterMs: retryAfterMs(headers["retry-after"], nowMs) });
  if (status === 429) return { kind: "busy", ...later };
  if (status >= 500) return { kind: "down", ...later };
  if (isUnpaid(status)) return { kind: "refused", class: "billing", message: unpaid };
  if (status === 404) return { kind: "refused", class: "upstream", message: unknownModel };
  return undefined;
}

export const unpaid = "The provider is currently rejecting this service's requests.";
const unknownModel = "The provider does not know this model.";

/** Throws a `PortError` for a failure that may have passed by a later call. */
export function checkAvailable(reply: Reply): void {
  if (isRefusedForNow(reply.status)) throw unavailable(reply);
}

/** Returns the JSON of a reply, which must have the given shape. Throws `ReplyError`. */
export function understand<T>(isOfShape: Check<T>, { status, json }: Reply): T {
  if (isOfShape(json)) return json;
  throw new ReplyError(`The provider's response (status ${status}) could not be interpreted.`);
}

/** Asks once; `judge` evaluates what the answer says beyond its status. */
export async function healthBy(
  ask: Promise<Reply>,
  judge: (reply: Reply) => Health,
): Promise<Health> {
  try {
    const reply = await ask;
    if (reply.status >= 500) return "down";
    if (reply.status === 429 || isUnpaid(reply.status)) return "degraded";
    return judge(reply);
  } catch (error) {
    if (error instanceof PortError) return "down";
    if (error instanceof ReplyError) return "degraded";
    throw error;
  }
}
