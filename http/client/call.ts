/**
 * One request of the client, and its retries.
 *
 * 1. A refusal is an `ApiProblem`, silence is an `Unreachable`; nothing else is thrown.
 * 2. `repeated` tries again through silence, 502 and 503, with a bound and a growing delay. Where
 *    nothing ever answered and nothing listens, the first try says so at once.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { Problem } from "../../actors/contract/problem.ts";
import { defined } from "../../config/defined.ts";

const bounds = {
  /** An answer that takes longer than this is silence. */
  answerMs: 30_000,
  uploadMs: 600_000,
  /** Tries of one call: some 40 s with the delays below, enough for a restart. */
  triesMax: 12,
  firstDelayMs: 100,
  delayMaxMs: 5_000,
} as const;

/** Where to go and as whom; `surface` is recorded on the jobs. */
export interface Address {
  readonly origin: string;
  readonly token: string;
  readonly surface: string;
}

/** An answer other than 2xx: the problem object of the specification. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  readonly code: string | undefined;
  readonly title: string;
  readonly detail: string | undefined;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly jobId: string | undefined;
  readonly renderId: string | undefined;
  readonly requestId: string | undefined;
  /** Seconds, when the service named them. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<Problem>, retryAfter: number | undefined) {
    super(body.detail ?? body.title ?? `The service answered ${status}.`);
    this.status = status;
    this.code = body.code;
    this.title = body.title ?? `Status ${status}`;
    this.detail = body.detail;
    this.errors = body.errors ?? [];
    this.jobId = body.job_id;
    this.renderId = body.render_id;
    this.requestId = body.request_id;
    this.retryAfter = retryAfter;
  }
}

/** Nothing answered, or the connection broke before the answer was whole. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
  readonly origin: string;
  /** The request cannot have arrived. */
  readonly nobodyListens: boolean;

  constructor(origin: string, cause: unknown) {
    super(`Nothing answers at ${origin}.`, { cause });
    this.origin = origin;
    this.nobodyListens = unconnected.has(systemCode(cause));
  }
}

const unconnected = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "EAI_AGAIN"]);

/** fetch wraps the socket's fault in its own. */
function systemCode(fault: unknown): string {
  const inner = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  return inner instanceof Error && "code" in inner ? String(inner.code) : "";
}

export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  /** Behind the version prefix. */
  readonly path: string;
  readonly body?: object;
  /** In the place of a JSON body; gets ten minutes to arrive. */
  readonly form?: FormData;
  /** The same, as it is; begun once more by each try. */
  readonly archive?: () => ReadableStream<Uint8Array>;
  readonly idempotencyKey?: string;
  /** Time the service takes on purpose, on top of an answer's usual bound. */
  readonly heldMs?: number;
}

/** The JSON of a 2xx answer. Its shape is the service's promise; it is not checked again here. */
export async function request<T>(address: Address, call: Call): Promise<T> {
  const response = await open(address, call);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (fault) {
    throw new Unreachable(address.origin, fault);
  }
}

/** A 2xx answer with its body unread. */
export function open(address: Address, call: Call): Promise<Response> {
  const { body, form, archive, idempotencyKey } = call;
  const heldMs = form === undefined && archive === undefined ? (call.heldMs ?? 0) : bounds.uploadMs;
  return openUrl(address.origin, `${address.origin}/v1${call.path}`, {
    method: call.method,
    signal: AbortSignal.timeout(bounds.answerMs + heldMs),
    headers: {
      authorization: `Bearer ${address.token}`,
      "x-service-surface": address.surface,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(archive === undefined ? {} : { "content-type": "application/zip" }),
      ...defined({ "idempotency-key": idempotencyKey }),
    },
    ...defined({ body: form ?? (body && JSON.stringify(body)) }),
    ...(archive === undefined ? {} : { body: archive(), duplex: "half" }),
  });
}

/** What a form-encoded call of OAuth answers, refusals included: they are no problem objects. */
export async function postForm<T>(
  origin: string,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: T }> {
  try {
    const response = await fetch(`${origin}/v1${path}`, {
      method: "POST",
      signal: AbortSignal.timeout(bounds.answerMs),
      body: new URLSearchParams(fields),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text === "" ? "{}" : text) as T };
  } catch (fault) {
    throw new Unreachable(origin, fault);
  }
}

/** A 2xx answer with its body unread. `origin` is what an `Unreachable` names. */
export async function openUrl(origin: string, url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (fault) {
    throw new Unreachable(origin, fault);
  }
  if (response.ok) return response;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  throw new ApiProblem(response.status, await problemOf(response), retryAfter);
}

/** A proxy's page is no problem object; its status then says all there is. */
async function problemOf(response: Response): Promise<Partial<Problem>> {
  const text = await response.text().catch(() => "");
  try {
    return JSON.parse(text) as Partial<Problem>;
  } catch {
    return {};
  }
}

/** `answered` says whether anything ever answered there. */
export async function repeatCall<T>(
  call: (tried: number) => Promise<T>,
  answered: () => boolean,
): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await call(tried);
    } catch (fault) {
      const isFirst = tried === 0 && !answered();
      if (isFirst && fault instanceof Unreachable && fault.nobodyListens) throw fault;
      if (tried + 1 === bounds.triesMax || !isPassing(fault)) throw fault;
      await pause(delayMs(tried, fault));
    }
  }
}

/** Silence, or the service saying that it cannot just now. */
export function isPassing(fault: unknown): boolean {
  if (fault instanceof ApiProblem) return fault.status === 502 || fault.status === 503;
  return fault instanceof Unreachable;
}

function delayMs(tried: number, fault: unknown): number {
  const asked = fault instanceof ApiProblem ? (fault.retryAfter ?? 0) * 1_000 : 0;
  return Math.min(bounds.delayMaxMs, Math.max(asked, bounds.firstDelayMs * 2 ** tried));
}
