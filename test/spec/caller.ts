import type { Job } from "../../contract/job.ts";
import type { Problem } from "../../contract/problem.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Api } from "../../http/api.ts";
import type { Answer } from "../../http/exchange/answer.ts";
import { MemorySink } from "./memory-sink.ts";
import { breach } from "./published-contract.ts";

export interface Reply<T> {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The parsed body, or undefined when it is not JSON. */
  readonly json: T;
}

/** A problem object with the members that a refusal may add. */
export type Refused = Problem &
  Partial<{
    job_status: string;
    concurrent_max: number;
    concurrent_active: number;
    quota: number;
    used: number;
    credits_required: number;
    balance_credits: number;
    required_scope: string;
    required_role: string;
    budget_credits: number;
    budget_used_credits: number;
    budget_resets_at: string | null;
    required_plan: string;
    limit_bytes: number;
    reason: string;
  }>;

export type Headers = Readonly<Record<string, string>>;

export interface RequestParts {
  /** Body of the request: an object is sent as JSON, bytes as they are. */
  readonly body?: object | string | undefined;
  /** Headers by lower-case name. */
  readonly headers?: Headers;
  readonly address?: string;
  /** Called with a function that makes the client go away before its answer. */
  readonly onAsked?: (leave: () => void) => void;
}

export const imagePath = "/v1/generate/image";

/** Sends requests to the service with one token, without a socket. */
export class Caller {
  readonly id: string;
  readonly token: string | undefined;
  private readonly api: Api;

  constructor(api: Api, token: string | undefined, id: string) {
    this.api = api;
    this.token = token;
    this.id = id;
  }

  /** Returns a caller with another token of the same user. */
  asHolder(token: string | undefined): Caller {
    return new Caller(this.api, token, this.id);
  }

  put<T = Refused>(path: string, body: object): Promise<Reply<T>> {
    return this.request("PUT", path, { body });
  }

  patch<T = Refused>(path: string, body: object): Promise<Reply<T>> {
    return this.request("PATCH", path, { body });
  }

  delete<T = Refused>(path: string): Promise<Reply<T>> {
    return this.request("DELETE", path);
  }

  /** Sends a form-encoded body. */
  form<T = Refused>(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Headers = {},
  ): Promise<Reply<T>> {
    const body = new URLSearchParams(fields).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return this.request("POST", path, { body, headers: { ...type, ...headers } });
  }

  get<T = Refused>(
    path: string,
    headers: Headers = {},
    onAsked: (leave: () => void) => void = () => {},
  ): Promise<Reply<T>> {
    return this.request("GET", path, { headers, onAsked });
  }

  post<T = Refused>(
    path: string,
    body?: object | string,
    headers: Headers = {},
  ): Promise<Reply<T>> {
    return this.request("POST", path, { body, headers });
  }

  /** Sends `POST /generate/image` with the simulated model. */
  submit<T = Job>(prompt: string, more: object = {}, headers?: Headers): Promise<Reply<T>> {
    return this.post(imagePath, { model: "sim-instant", prompt, ...more }, headers);
  }

  /** Submits a job that must be accepted, and returns it. */
  async job(prompt: string, more: object = {}): Promise<Job> {
    const { status, json, text } = await this.submit(prompt, more);
    invariant(status === 202, `the submit was accepted: ${text}`);
    return json;
  }

  async read(job: string): Promise<Job> {
    return (await this.get<Job>(`/v1/jobs/${job}`)).json;
  }

  cancel<T = Job>(job: string): Promise<Reply<T>> {
    return this.post(`/v1/jobs/${job}/cancel`);
  }

  async request<T>(method: string, path: string, parts: RequestParts = {}): Promise<Reply<T>> {
    const reply = await receive<T>(await this.answer(method, path, parts));
    const [plain = ""] = path.replace(/^https?:\/\/[^/]+/, "").split("?", 1);
    const { status, headers, json } = reply;
    const wrong = breach(method, plain, status, headers, json);
    invariant(wrong === undefined, `the answer keeps the published contract: ${wrong}`);
    return reply;
  }

  /** Asks as the listener would; returns the answer as the route gives it. */
  async answer(method: string, url: string, parts: RequestParts = {}): Promise<Answer> {
    const { body = "", headers = {}, address = "192.0.2.1", onAsked = () => {} } = parts;
    const [path = "", query = ""] = url.replace(/^https?:\/\/[^/]+/, "").split("?", 2);
    const match = this.api.match(method, path);
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
    const read = match.bodyBytesMax === 0 ? Buffer.alloc(0) : bytes;
    const goneListeners = new Set<() => void>();
    let hasGone = false;
    onAsked(() => {
      hasGone = true;
      for (const listener of goneListeners) listener();
    });
    return this.api.answer(match, {
      method,
      path,
      query,
      headers: this.withToken(headers),
      body: read.length > match.bodyBytesMax ? "too_large" : read,
      incoming: match.streamBytesMax === undefined ? undefined : streamBytes(bytes),
      address,
      keepBody: () => undefined,
      isGone: () => hasGone,
      onGone(listener) {
        goneListeners.add(listener);
        return () => goneListeners.delete(listener);
      },
    });
  }

  private withToken(headers: Headers): Headers {
    return this.token === undefined
      ? headers
      : { authorization: `Bearer ${this.token}`, ...headers };
  }
}

/** Yields a body in two pieces, as a network brings it. */
async function* streamBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, bytes.length / 2);
  yield bytes.subarray(bytes.length / 2);
}

async function receive<T>({ status, headers, body }: Answer): Promise<Reply<T>> {
  const bytes = typeof body === "string" ? Buffer.from(body) : await collect(body);
  const byName = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const isJson = byName["content-type"]?.includes("json") === true && bytes.length > 0;
  const text = bytes.toString();
  return { status, headers: byName, text, bytes, json: isJson ? JSON.parse(text) : undefined };
}

/** Collects all of a body that ends by itself. */
async function collect(body: Exclude<Answer["body"], string>): Promise<Buffer> {
  const sink = new MemorySink();
  body.start(sink);
  await sink.whenOver;
  return Buffer.concat(sink.chunks);
}
