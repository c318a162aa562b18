/**
 * What the simulators of all providers are made of: a server on loopback, a journal of the calls
 * that it got, jobs whose life follows the scenario words of their prompt, files, and callbacks.
 * Each simulator adds its protocol: what it answers, and how it signs.
 *
 * Besides the words `sim:...` a prompt may have one of `hostile:html`, `types`, `endless`, `huge`
 * (how a job's state is answered) and `redirects`, `loopback`, `media` (what its files are).
 */
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Modality } from "../../config/modalities.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import type { SimulatedJob } from "./simulated-jobs.ts";

export interface Call {
  readonly method: string;
  /** Path of the call, with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly atMs: number;
  /** The job that the call was about, or that it made; a new one is known once it is answered. */
  job?: string;
  status?: number;
}

export interface SimulatorOptions {
  readonly clock: Clock;
  /** Called before a call is handled, and when its answer is on its way. */
  readonly onCall?: (call: Call, moment: "before" | "after") => void | Promise<void>;
  /** Pause before a callback that was not accepted is sent again; it doubles each time. */
  readonly callbackRetryMs?: number;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** JSON of the body, if it is an object. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  /** Aborts when the caller goes away before it has its answer. */
  readonly signal: AbortSignal;
}

export type Answer = {
  readonly job?: string;
} & (
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly text?: string;
      readonly bytes?: Buffer;
    }
  /** The connection ends without an answer. */
  | { readonly status: "cut" }
  /** An answer whose body never ends. */
  | { readonly status: "endless" }
);

export interface SignedBody {
  /** URL of the callback; the job's webhook if absent. */
  readonly url?: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const extensions = { image: "png", video: "mp4", audio: "mp3", three_d: "glb" } as const;

export abstract class Simulator {
  readonly journal: Call[] = [];
  /** Requests to another port of loopback, to which only `hostile:loopback` leads. */
  readonly trapped: string[] = [];
  url = "";
  protected readonly clock: Clock;
  private readonly callbackRetryMs: number;
  private readonly onCall: SimulatorOptions["onCall"];
  protected readonly server: Server;
  private readonly trap: Server;
  private readonly deliveries = new Set<Promise<void>>();
  private isClosed = false;

  constructor({ clock, onCall, callbackRetryMs = 15_000 }: SimulatorOptions) {
    this.clock = clock;
    this.callbackRetryMs = callbackRetryMs;
    this.onCall = onCall;
    this.server = createServer((request, response) => {
      this.serve(request, response).catch(() => response.destroy());
    });
    // Callers end their idle connections themselves, so none uses one that is being closed.
    this.server.keepAliveTimeout = 0;
    this.trap = createServer((request, response) => {
      this.trapped.push(request.url ?? "");
      response.end("inside");
    });
  }

  /** Answers a call as the protocol does. */
  protected abstract answer(exchange: Exchange): Answer | Promise<Answer>;
  protected abstract buildJob(path: string): SimulatedJob | undefined;

  /** Listens on `port`; 0 takes any free port. */
  async listen(port = 0): Promise<this> {
    this.server.listen(port, "127.0.0.1");
    this.trap.listen(0, "127.0.0.1");
    await Promise.all([once(this.server, "listening"), once(this.trap, "listening")]);
    this.url = origin(this.server);
    return this;
  }

  close(): void {
    this.isClosed = true;
    for (const server of [this.server, this.trap]) {
      server.closeAllConnections();
      server.close();
    }
  }

  /** Resolves when each callback that is due has been answered. */
  async settle(): Promise<void> {
    while (this.deliveries.size > 0) await Promise.all(this.deliveries);
  }

  /** Returns the calls of one kind, such as `POST /submit`; `path` is matched as a prefix. */
  calls(method: string, path = "/"): Call[] {
    return this.journal.filter((call) => call.method === method && call.path.startsWith(path));
  }

  /** Returns the URLs of the files that a job made. */
  protected fileUrls({ id, modality, count }: SimulatedJob): string[] {
    const name = (index: number) => `${index}.${extensions[modality]}`;
    return Array.from({ length: count }, (_, index) => `${this.url}/files/${id}/${name(index)}`);
  }

  /** Answers a question about the state of a hostile job; undefined for other jobs. */
  protected hostileAnswer({ hostile, id: job }: SimulatedJob): Answer | undefined {
    switch (hostile) {
      case "html":
        return { job, status: 200, headers: { "content-type": "text/html" }, text: html };
      case "types":
        return { job, status: 200, json: { id: 7, status: ["COMPLETED", 4], output: { url: 9 } } };
      case "endless":
        return { job, status: "endless" };
      case "huge":
        return { job, status: 200, json: { logs: "x".repeat(30_000_000) } };
      default:
        return undefined;
    }
  }

  /** Posts a callback as the scenario says, and repeats it while it is not accepted. */
  protected callBack(
    { webhook, scenario: { callback } }: SimulatedJob,
    sign: (isForged: boolean) => SignedBody,
  ): void {
    if (webhook === undefined || callback === "dropped") return;
    const times = callback === "doubled" ? 2 : 1;
    const signed = sign(callback === "forged");
    for (let time = 0; time < times; time++) this.deliver(signed.url ?? webhook, signed);
  }

  protected deliver(url: string, { body, headers }: SignedBody, retries = 0): void {
    const type = { "content-type": "application/json" };
    const delivery = fetch(url, { method: "POST", headers: { ...type, ...headers }, body })
      .then(async (response) => {
        await response.arrayBuffer();
        return response.ok;
      })
      .catch(() => false)
      .then((isTaken) => {
        this.deliveries.delete(delivery);
        if (isTaken || retries === callbackRetries || this.isClosed) return;
        const again = () => this.deliver(url, { body, headers }, retries + 1);
        this.clock.after(this.callbackRetryMs * 2 ** retries, again);
      });
    this.deliveries.add(delivery);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    response.on("error", () => undefined);
    const body = await readBody(request);
    const { pathname, searchParams: query } = new URL(url, this.url);
    const job = this.buildJob(pathname)?.id;
    const call: Call = { method, path: url, headers, atMs: this.clock.nowMs() };
    if (job !== undefined) call.job = job;
    this.journal.push(call);
    await this.onCall?.(call, "before");
    if (pathname.startsWith("/files/")) this.serveFile(pathname, headers, response);
    else {
      const abort = new AbortController();
      response.on("close", () => abort.abort());
      const { signal } = abort;
      const input = parse(body);
      const asked = { method, path: pathname, query, headers, input, body, signal };
      const answer = await this.answer(asked);
      if (answer.job !== undefined) call.job = answer.job;
      await this.send(answer, response);
    }
    call.status = response.statusCode;
    await this.onCall?.(call, "after");
  }

  private async send(answer: Answer, response: ServerResponse): Promise<void> {
    switch (answer.status) {
      case "cut":
        response.socket?.destroy();
        return;
      case "endless":
        response.writeHead(200, { "content-type": "application/json" });
        return pipeline(Readable.from(endless()), response);
      default: {
        const { status, headers, json, text, bytes: file } = answer;
        const type = json === undefined ? "text/plain" : "application/json";
        const plain = text ?? (json === undefined ? "" : JSON.stringify(json));
        const bytes = file ?? Buffer.from(plain);
        const length = String(bytes.length);
        response.writeHead(status, { "content-type": type, "content-length": length, ...headers });
        response.end(bytes);
      }
    }
  }

  private serveFile(path: string, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const job = this.buildJob(path);
    if (job?.hostile === "redirects")
      return void response.writeHead(302, { location: `${path}/again` }).end();
    if (job?.hostile === "loopback")
      return void response.writeHead(302, { location: `${origin(this.trap)}/secret` }).end();
    if (job?.hostile === "media")
      return void response.writeHead(200, { "content-type": "text/html" }).end(html);
    if (job === undefined || job.state !== "succeeded") return void response.writeHead(404).end();
    serveMedia(job.modality, headers.range, response);
  }
}

/** Serves a whole file, or the part from one byte on. */
function serveMedia(modality: Modality, range: string | undefined, response: ServerResponse): void {
  const { bytes, media } = simulatedMedia[modality];
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? "0");
  const type = { "content-type": media.mimeType, "accept-ranges": "bytes" };
  if (from >= bytes.length) {
    response.writeHead(416, { ...type, "content-range": `bytes */${bytes.length}` }).end();
    return;
  }
  const part = bytes.subarray(from);
  const place = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
  const length = { "content-length": String(part.length) };
  if (range === undefined) response.writeHead(200, { ...type, ...length }).end(part);
  else response.writeHead(206, { ...type, ...length, "content-range": place }).end(part);
}

const callbackRetries = 10;
const bodyBytesMax = 128 * 1024 * 1024;
export const html = "<!doctype html><title>Sign in</title><p>Please sign in at http://10.0.0.7/";

function origin(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(body.toString()));
  } catch {
    return {};
  }
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? Object.fromEntries(Object.entries(value)) : {};
}

function* endless(): Generator<Buffer> {
  const spaces = Buffer.alloc(64 * 1024, " ");
  for (;;) yield spaces;
}
