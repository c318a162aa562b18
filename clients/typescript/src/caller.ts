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
  /** An answer that takes longer than this is silence. */
  answerMs: 30_000,
  /** More for a call that carries a file, and for one whose answer is made meanwhile. */
  uploadMs: 600_000,
  makingMs: 30_000,
} as const;

export interface CallOptions {
  /** Ends the call, its retries included; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** One of the client's own making by default. */
  readonly idempotencyKey?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** The ETag of the version that is to be changed. */
  readonly ifMatch?: string | undefined;
  /** `*`: only where there is none yet. */
  readonly ifNoneMatch?: string | undefined;
}

/** A stream is opened anew for each try. */
export type Bytes =
  | Blob
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | (() => ReadableStream<Uint8Array>);

export interface KliegOptions {
  /** Where the service is; `/v1` may stand at its end. */
  readonly url: string;
  /** The credential, or what finds it before each call. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Recorded on the jobs: what the calls come through (`sdk`). */
  readonly surface?: string | undefined;
  /** Whether calls that are refused with 429 are tried again for some seconds (true). */
  readonly retriesLimits?: boolean | undefined;
  /** How long a 429 may ask to wait, in milliseconds; one that asks more is thrown (20 s). */
  readonly limitWaitMsMax?: number | undefined;
  /** Called before the client waits after a 429, with the milliseconds. */
  readonly onLimitWait?: ((delayMs: number) => void) | undefined;
}

type Queries = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Behind the version prefix. */
  readonly path: string;
  readonly query?: Queries;
  readonly body?: object;
  readonly form?: FormData;
  readonly bytes?: Bytes;
  readonly mediaType?: string;
  /** A second arrival does no harm. */
  readonly isRepeatable: boolean;
  /** Carries an Idempotency-Key; a duplicate's earlier result is read here. */
  readonly earlier?: "jobs" | "renders" | "sets" | "none";
  /** Time the service takes on purpose, on top of an answer's usual bound. */
  readonly heldMs?: number;
}

export class Caller {
  /** Without a slash at its end. */
  readonly url: string;
  private readonly options: KliegOptions;
  private isAnswered = false;

  constructor(options: KliegOptions) {
    this.url = options.url.replace(/\/+$/, "").replace(/\/v1$/, "");
    this.options = options;
  }

  /** The JSON of a 2xx answer. Its shape is the service's promise; it is not checked again here. */
  json<T>(call: Call, options: SubmitOptions & ChangeOptions): Promise<T> {
    return this.attempt(call, options, (response) => response.json() as Promise<T>);
  }

  /** For an answer without a body. */
  end(call: Call, options: SubmitOptions & ChangeOptions): Promise<undefined> {
    return this.attempt(call, options, async (response) => {
      await response.body?.cancel();
      return undefined;
    });
  }

  /** A 2xx answer with its body unread; reading that takes as long as it takes. */
  open(call: Call, options: SubmitOptions & ChangeOptions): Promise<Response> {
    const made = { heldMs: bounds.makingMs, ...call };
    return this.attempt(made, options, async (response) => response);
  }

  /** Tried once. The answer other than 2xx is thrown. `url` is a signed address: no credential. */
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
    const timer = setTimeout(() => patience.abort(new Error("It took too long.")), patienceMs);
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
  // A body that is a stream has to be announced so; not every type of fetch knows the word.
  const streamed = { body: bytes(), duplex: "half" };
  return streamed;
}

/** Where the result of a lost answer is read, when the fault says that there is one. */
function earlierPath({ earlier }: Call, fault: unknown): string | undefined {
  if (!(fault instanceof KliegError) || fault.status !== 409) return undefined;
  if (earlier === "jobs" && fault.jobId) return `/jobs/${segment(fault.jobId)}`;
  if (earlier === "renders" && fault.renderId) return `/renders/${segment(fault.renderId)}`;
  if (earlier === "sets" && fault.setId) return `/sets/${segment(fault.setId)}`;
  return undefined;
}

/** One segment of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}

/** Without what is undefined. */
function encodeQuery(queries: Queries = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queries))
    if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? "" : `?${query}`;
}

/** Not by `randomUUID`, which pages that came without TLS do not have. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
