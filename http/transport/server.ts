/**
 * The listener: uWebSockets.js, imported by this file only. It turns what comes over the wire into
 * requests and answers into bytes, and refuses what the parser lets through: repeated or
 * conflicting framing headers, odd bytes in the path, headers and bodies beyond their caps, more
 * connections from one address than allowed.
 */

import * as uWS from "uWebSockets.js";
import { STATUS_CODES } from "node:http";
import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Api, Match } from "../api.ts";
import { type Answer, type HttpRequest, lineOf, type Sink, type Stream } from "./answer.ts";
import {
  Arrival,
  bufferReceiver,
  type Receiver,
  streamReceiver,
  watchArrivals,
} from "./arrival.ts";
import { Connections, socketTable } from "./connections.ts";
import { Departure } from "./departure.ts";
import { checkFree, portTaken } from "./free-port.ts";
import { IncomingBody, type Valve } from "./incoming-body.ts";
import { OpenAnswers } from "./open-answers.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

export interface Listener {
  /** Takes no more connections; open requests go on, and each answer is its connection's last. */
  stopListening(): void;
  /** Resolves when no request waits for its answer, at the latest after `patienceMs`. */
  answered(patienceMs: number): Promise<void>;
  /** Closes what is still open. */
  close(): void;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly connectionsPerAddress: number;
  readonly proxies: TrustedProxies;
}

/** Throws `ListenError`. */
export async function listen(api: Api, options: ListenOptions, clock: Clock): Promise<Listener> {
  await checkFree(options);
  const app = uWS.App();
  const { port, connectionsPerAddress, proxies } = options;
  const connections = new Connections(port, connectionsPerAddress, clock, socketTable);
  const track = (res: uWS.HttpResponse, change: number) => {
    if (change < 0) connections.closed();
    else if (!connections.opened(hexAddressOf(res)) && !proxies.has(addressOf(res))) res.close();
  };
  app.filter(track);
  const open = new OpenAnswers(clock);
  const listening: Listening = { api, proxies, arrivals: new Set(), open };
  watchArrivals(listening.arrivals, clock);
  app.any("/*", (res, req) => take(listening, res, req));
  const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => {
    app.listen(options.host, options.port, resolve);
  });
  if (socket === false) throw portTaken(options);
  return {
    stopListening() {
      if (open.areLast) return;
      open.areLast = true;
      // Clients whose connections wait to be taken would see them reset: there are fewest now.
      setImmediate(() => uWS.us_listen_socket_close(socket));
    },
    answered: (patienceMs) => open.ended(patienceMs),
    close: () => void app.close(),
  };
}

/** What the requests of a listener share. */
interface Listening {
  readonly api: Api;
  readonly proxies: TrustedProxies;
  readonly arrivals: Set<Arrival>;
  readonly open: OpenAnswers;
}

/** One request and its response. uWS takes nothing more for it once the client has gone. */
class Exchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly headerBytes: number;
  /** How many headers say where the body ends. */
  readonly framings: number;
  body: HttpRequest["body"] = noBody;
  incoming: IncomingBody | undefined;
  /** Undefined for a request without a body, or one whose body no route reads. */
  arrival: Arrival | undefined;
  /** The answer has been handed over whole, or none will be. */
  onAnswered: (() => void) | undefined;
  private readonly res: uWS.HttpResponse;
  private readonly proxies: TrustedProxies;
  private readonly departure = new Departure();
  private waits = false;

  constructor(res: uWS.HttpResponse, req: uWS.HttpRequest, proxies: TrustedProxies) {
    const headers: Record<string, string> = {};
    let headerBytes = 0;
    let framings = 0;
    req.forEach((name, value) => {
      headers[name] = value;
      headerBytes += name.length + value.length + 4;
      if (name === "content-length" || name === "transfer-encoding") framings++;
    });
    this.res = res;
    this.proxies = proxies;
    this.method = req.getCaseSensitiveMethod().toUpperCase();
    this.path = req.getUrl();
    this.query = req.getQuery() ?? "";
    this.headers = headers;
    this.headerBytes = headerBytes;
    this.framings = framings;
  }

  get address(): string {
    if (this.isGone()) return "";
    return this.proxies.client(addressOf(this.res), this.headers["x-forwarded-for"]);
  }

  /** uWS gives chunks for the time of a call. */
  keepBody(): void {
    if (typeof this.body !== "string") this.body = Uint8Array.from(this.body);
  }

  isGone(): boolean {
    return this.departure.isGone();
  }

  onGone(listener: () => void): () => void {
    return this.departure.onGone(listener);
  }

  /** To be called before the handler of the request returns without an answer. */
  wait(): void {
    if (this.waits) return;
    this.waits = true;
    this.res.onAborted(() => {
      this.arrival?.stop();
      this.departure.happen();
      this.onAnswered?.();
    });
  }

  send(answer: Answer, closes: boolean): void {
    if (this.isGone()) return;
    this.arrival?.stop();
    if (typeof answer.body !== "string") this.wait();
    if (this.waits) this.res.cork(() => this.write(answer, closes));
    else this.write(answer, closes);
  }

  private write({ status, headers, body }: Answer, closes: boolean): void {
    // The whole head in one call into the native side, which costs as much as each header would.
    let head = statusLines[status] ?? String(status);
    for (const header of headers) head += lineOf(header);
    const isHead = this.method === "HEAD";
    if (isHead)
      head += lengthLine(typeof body === "string" ? Buffer.byteLength(body) : body.length);
    // uWS says so itself at the end of a body that it has whole.
    if (closes && typeof body !== "string") head += "\r\nConnection: close";
    this.res.writeStatus(head);
    // With any argument uWS would wait for more of a response that has no body.
    if (isHead || status === 304) this.res.endWithoutBody();
    else if (typeof body === "string") this.res.end(body, closes);
    else {
      this.stream(body);
      return;
    }
    this.onAnswered?.();
  }

  private stream(body: Stream): void {
    const sink = new ResponseSink(this.res, this, body.length);
    const stop = body.start(sink);
    const end = () => {
      stop();
      this.onAnswered?.();
    };
    if (sink.isEnded) end();
    else {
      this.onGone(stop);
      sink.onEnd = end;
    }
  }
}

const noBody = new Uint8Array(0);

const statusLines: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(STATUS_CODES).map(([status, name]) => [status, `${status} ${name}`]),
);

function lengthLine(length: number | undefined): string {
  return length === undefined ? "" : `\r\nContent-Length: ${length}`;
}

class ResponseSink implements Sink {
  isEnded = false;
  onEnd: () => void = () => {};
  private readonly res: uWS.HttpResponse;
  private readonly exchange: Exchange;
  private readonly length: number | undefined;
  private pending = 0;
  /** Of a body with a length: the last chunk that was not taken whole, and where it begins. */
  private left = { bytes: Buffer.alloc(0), begun: 0 };
  private onDrained: () => void = () => {};

  constructor(res: uWS.HttpResponse, exchange: Exchange, length: number | undefined) {
    this.res = res;
    this.exchange = exchange;
    this.length = length;
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.isOver) return true;
    let isTaken = true;
    this.res.cork(() => {
      isTaken = this.length === undefined ? this.add(chunk) : this.offer(chunk, this.length);
    });
    return isTaken;
  }

  unsent(): number {
    return this.pending;
  }

  drained(listener: () => void): void {
    this.onDrained = listener;
  }

  end(): void {
    if (this.isOver) return;
    this.res.cork(() => {
      // Asked to close the connection as well, uWS would write a header into the body.
      if (this.length === undefined) this.res.end();
      else this.res.endWithoutBody(this.length);
    });
    this.finish();
  }

  abort(): void {
    if (!this.isOver) this.res.close();
  }

  /** Of a body without length: the kernel's backlog is ours until it says that it is writable. */
  private add(chunk: string | Uint8Array): boolean {
    if (this.res.write(chunk)) return true;
    this.pending += chunk.length;
    this.res.onWritable(() => {
      this.pending = 0;
      this.onDrained();
      return true;
    });
    return false;
  }

  /**
   * Of a body with a length: `tryEnd` takes what it can, the rest is offered from where it stopped.
   */
  private offer(chunk: string | Uint8Array, length: number): boolean {
    const begun = this.res.getWriteOffset();
    const [isTaken, isDone] = this.res.tryEnd(chunk, length);
    if (isDone) this.finish();
    if (isTaken || isDone) return true;
    this.left = { bytes: Buffer.from(chunk), begun };
    this.res.onWritable((offset) => this.offerLeft(offset, length));
    return false;
  }

  /** uWS may call the handler of an earlier chunk, so each offers what is left now. */
  private offerLeft(offset: number, length: number): boolean {
    const { bytes, begun } = this.left;
    const [isTaken, isDone] = this.res.tryEnd(bytes.subarray(offset - begun), length);
    if (isDone) this.finish();
    else if (isTaken) this.onDrained();
    return isTaken || isDone;
  }

  private get isOver(): boolean {
    return this.isEnded || this.exchange.isGone();
  }

  private finish(): void {
    this.isEnded = true;
    this.onEnd();
  }
}

/** One request from its head to its answer. */
function take(listening: Listening, res: uWS.HttpResponse, req: uWS.HttpRequest): void {
  const { api, proxies, arrivals } = listening;
  const exchange = new Exchange(res, req, proxies);
  const refusal = refusalOf(exchange);
  if (refusal !== undefined) {
    // Deferred by a tick: while an answer is due uWS closes on whatever else the same packet
    // brought.
    exchange.wait();
    const answer = api.refuse(refusal, exchange);
    setImmediate(() => exchange.send(answer, true));
    return;
  }
  const match = api.match(exchange.method, exchange.path);
  const { streamBytesMax, bodyBytesMax } = match;
  if (exchange.framings === 0 || (streamBytesMax === undefined && bodyBytesMax === 0)) {
    respond(listening, match, exchange);
    return;
  }
  exchange.wait();
  exchange.onAnswered = listening.open.begin();
  const receive = (receiver: Receiver, valve: Valve) => {
    const arrival = new Arrival(valve, arrivals, receiver);
    exchange.arrival = arrival;
    res.onData((chunk, isLast) => arrival.push(new Uint8Array(chunk), isLast));
  };
  const valve = {
    pause: () => void (exchange.isGone() || res.pause()),
    resume: () => void (exchange.isGone() || res.resume()),
  };
  if (streamBytesMax !== undefined) {
    const body = new IncomingBody(streamBytesMax, valve);
    exchange.incoming = body;
    exchange.onGone(() => body.break());
    receive(streamReceiver(body), valve);
    respond(listening, match, exchange);
  } else if (Number(exchange.headers["content-length"]) > bodyBytesMax) {
    exchange.body = "too_large";
    respond(listening, match, exchange);
  } else {
    const whole = (body: HttpRequest["body"]) => {
      exchange.body = body;
      respond(listening, match, exchange);
    };
    receive(bufferReceiver(bodyBytesMax, whole), valve);
  }
}

function respond({ api, open }: Listening, match: Match, exchange: Exchange): void {
  const answer = api.answer(match, exchange);
  if (answer instanceof Promise) {
    exchange.wait();
    exchange.onAnswered ??= open.begin();
    void answer.then((ready) => conclude(exchange, ready, open.areLast));
  } else conclude(exchange, answer, open.areLast);
}

/**
 * Answers so that a client that sends before it reads can read the answer: uWS drops the rest of a
 * body of a known length; the end of any other is awaited. `isLast`: the connection's last.
 */
function conclude(exchange: Exchange, answer: Answer, isLast: boolean): void {
  const { arrival, incoming, headers } = exchange;
  if (arrival === undefined || arrival.isWhole) exchange.send(answer, isLast);
  else if (arrival.isOver) exchange.send(answer, true);
  else if (Number(headers["content-length"]) <= limits.http.drainBytesMax) {
    incoming?.drop();
    exchange.send(answer, isLast);
  } else {
    incoming?.drop();
    void arrival.drain().then(() => exchange.send(answer, isLast || !arrival.isWhole));
  }
}

/** Matches most paths, quickly. */
const plainPath = /^(?:\/[\w.:-]+)+$/;
const oddPath = /\p{Cc}|\\|%2e%2e|%2f|%00|%5c/iu;

/** What must not reach a route, and closes the connection. */
function refusalOf({ path, query, headers, headerBytes, framings }: Exchange): Refusal | undefined {
  if (path.length + query.length > limits.http.urlBytesMax) return { code: "uri_too_long" };
  if (headerBytes > limits.http.headerBytesMax) return { code: "headers_too_large" };
  const encoding = headers["transfer-encoding"];
  if (framings > 1 || (encoding !== undefined && encoding.toLowerCase() !== "chunked"))
    return malformed("The request's framing is ambiguous.");
  if (!plainPath.test(path) && oddPath.test(path))
    return malformed("The path has bytes that no path of this service has.");
  return undefined;
}

function malformed(detail: string): Refusal {
  return { code: "validation", detail, faults: [{ pointer: "", detail }] };
}

function hexAddressOf(res: uWS.HttpResponse): string {
  return Buffer.from(res.getRemoteAddress()).toString("hex");
}

function addressOf(res: uWS.HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString("latin1");
}
