/**
 * One call of the client, and its retries.
 *
 * 1. What is thrown is a `KliegError`, or the reason of the caller's own signal.
 * 2. A call is tried again as `retry.ts` says, each time with the same Idempotency-Key.
 * 3. A submit whose answer was lost is answered 409 when it is sent again. The 409 names what the
 *    lost answer was about, and that is returned: one call, at most one charge. A 409 that no lost
 *    answer explains is thrown.
 */
import { KliegError, refusal, unreachable } from "./problem.ts";
import { delayAfter, pause, retryBounds } from "./retry.ts";

const bounds = {
  /** A request without an answer for this long counts as unanswered. */
  answerMs: 30_000,
  /** Added for a call that carries a file, and for one whose answer is produced meanwhile. */
  uploadMs: 600_000,
  makingMs: 30_000,
} as const;

export interface CallOptions {
  /** Aborts the call and its retries; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** The Idempotency-Key; by default the client generates one. */
  readonly idempotencyKey?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** ETag of the version to change. */
  readonly ifMatch?: string | undefined;
  /** `*` allows the change only if nothing exists yet. */
  readonly ifNoneMatch?: string | undefined;
}

/** The bytes of a body. A stream is opened again for each attempt. */
export type Bytes =
  | Blob
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | (() => ReadableStream<Uint8Array>);

export interface KliegOptions {
  /** Address of the service, with or without `/v1` at its end. */
  readonly url: string;
  /** The credential, or a function that returns it before each call. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Name of the calling program that is recorded on the jobs (default `sdk`). */
  readonly surface?: string | undefined;
  /** Whether calls refused with 429 are retried for some seconds (default true). */
  readonly retriesLimits?: boolean | undefined;
  /** Longest wait that a 429 may ask for, in ms; beyond it, the error is thrown (default 20 s). */
  readonly limitWaitMsMax?: number | undefined;
  /** Called before the client waits after a 429, with the wait in milliseconds. */
  readonly onLimitWait?: ((delayMs: number) => void) | undefined;
}

type Queries = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path after the version prefix. */
  readonly path: string;
  readonly query?: Queries;
  readonly body?: object;
  readonly form?: FormData;
  readonly bytes?: Bytes;
  readonly mediaType?: string;
  /** Whether receiving the same request twice does no harm. */
  readonly isRepeatable: boolean;
  /** Carries an Idempotency-Key; a duplicate's earlier result is read from this resource. */
  readonly earlier?: "jobs" | "renders" | "sets" | "none";
  /** Time for which the service may hold the request, in addition to the usual answer timeout. */
  readonly heldMs?: number;
}

export class Caller {
  /** Base URL of the service, without a trailing slash and without `/v1`. */
  readonly url: string;
  private readonly options: KliegOptions;
  private isAnswered = false;

  constructor(options: KliegOptions) {
    this.url = options.url.replace(/\/+$/, "").replace(/\/v1$/, "");
    this.options = options;
  }

  /** Returns the JSON of a 2xx answer. The service promises its shape; it is not checked here. */
  json<T>(call: Call, options: SubmitOptions & ChangeOptions): Promise<T> {
    return this.attempt(call, options, (response) => response.json() as Promise<T>);
  }

  /** Makes a call whose answer has no body. */
  end(call: Call, options: SubmitOptions & ChangeOptions): Promise<undefined> {
    return this.attempt(call, options, async (response) => {
      await response.body?.cancel();
      return undefined;
    });
  }

  /** Returns a 2xx answer with its body unread; reading the body has no time limit. */
  open(call: Call, options: SubmitOptions & ChangeOptions): Promise<Response> {
    const made = { heldMs: bounds.makingMs, ...call };
    return this.attempt(made, options, async (response) => response);
  }

  /** Fetches a signed `url` once, without a credential, and throws any answer other than 2xx. */
  async fetchUrl(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(url, signal === undefined ? init : { ...init, signal });
    } catch (fault) {
      throw unreachable(this.url, fault);
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  private async attempt<T>(
    call: Call,
    options: SubmitOptions & ChangeOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal, idempotencyKey, ifMatch, ifNoneMatch } = options;
    const key = call.earlier === undefined ? undefined : (idempotencyKey ?? newKey());
    let isLost = false;
    for (let tried = 1; ; tried++) {
      try {
        const answer = await this.ask(call, { key, ifMatch, ifNoneMatch, signal }, read);
        this.isAnswered = true;
        return answer;
      } catch (fault) {
        signal?.throwIfAborted();
        const earlier = isLost ? earlierPath(call, fault) : undefined;
        if (earlier !== undefined)
          return this.attempt(
            { method: "GET", path: earlier, isRepeatable: true },
            { signal },
            read,
          );
        const delayMs = delayAfter(fault, {
          tried,
          isRead: call.method === "GET",
          isRepeatable: call.isRepeatable,
          isAnswered: this.isAnswered,
          retriesLimits: this.options.retriesLimits ?? true,
          limitWaitMsMax: this.options.limitWaitMsMax ?? retryBounds.askedMsMax,
        });
        if (delayMs === undefined) throw fault;
        const isLimit = fault instanceof KliegError && fault.status === 429;
        if (isLimit) this.options.onLimitWait?.(delayMs);
        isLost ||= fault instanceof KliegError && !isLimit;
        await pause(delayMs, signal);
      }
    }
  }

  private async ask<T>(
    call: Call,
    given: {
      readonly key: string | undefined;
      readonly ifMatch: string | undefined;
      readonly ifNoneMatch: string | undefined;
      readonly signal: AbortSignal | undefined;
    },
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { token, surface = "sdk" } = this.options;
    const credential = typeof token === "function" ? await token() : token;
    const carriesFile = call.form !== undefined || call.bytes !== undefined;
    const patience = new AbortController();
    const patienceMs = bounds.answerMs + (carriesFile ? bounds.uploadMs : (call.heldMs ?? 0));
    const timer = setTimeout(() => patience.abort(new Error("The request timed out.")), patienceMs);
    const { key, ifMatch, ifNoneMatch, signal } = given;
    const mediaType = call.body === undefined ? call.mediaType : "application/json";
    try {
      const response = await this.fetchUrl(
        `${this.url}/v1${call.path}${encodeQuery(call.query)}`,
        {
          method: call.method,
          headers: {
            "x-service-surface": surface,
            ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
            ...(mediaType === undefined ? {} : { "content-type": mediaType }),
            ...(key === undefined ? {} : { "idempotency-key": key }),
            ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
            ...(ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }),
          },
          ...encodeBody(call),
        },
        signal === undefined ? patience.signal : AbortSignal.any([patience.signal, signal]),
      );
      return await read(response);
    } catch (fault) {
      throw fault instanceof KliegError ? fault : unreachable(this.url, fault);
    } finally {
      clearTimeout(timer);
    }
  }
}

function encodeBody({ body, form, bytes }: Call): RequestInit {
  if (body !== undefined) return { body: JSON.stringify(body) };
  if (form !== undefined) return { body: form };
  if (typeof bytes !== "function") return bytes === undefined ? {} : { body: bytes };
  // A stream body requires `duplex`, which not every type declaration of fetch has.
  const streamed = { body: bytes(), duplex: "half" };
  return streamed;
}

/** Returns the path of the earlier result that a 409 names, for a call whose answer was lost. */
function earlierPath({ earlier }: Call, fault: unknown): string | undefined {
  if (!(fault instanceof KliegError) || fault.status !== 409) return undefined;
  if (earlier === "jobs" && fault.jobId) return `/jobs/${segment(fault.jobId)}`;
  if (earlier === "renders" && fault.renderId) return `/renders/${segment(fault.renderId)}`;
  if (earlier === "sets" && fault.setId) return `/sets/${segment(fault.setId)}`;
  return undefined;
}

/** Encodes one segment of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}

/** Encodes the query string, leaving out undefined parameters. */
function encodeQuery(queries: Queries = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queries))
    if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? "" : `?${query}`;
}

/** Avoids `randomUUID`, which is missing in pages that were loaded without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
