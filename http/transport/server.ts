/**
 * The listener: uWebSockets.js, imported by this file only. It turns what comes over the wire into
 * requests and answers into bytes, and refuses what the parser lets through: repeated or
 * conflicting framing headers, headers that may come once only, odd bytes in the path, headers and
 * bodies beyond their caps, more connections from one address than allowed.
 *
 * 1. No request is both carried out and refused. uWS parses on behind a request's last byte before
 *    it returns, answers what it finds malformed by itself and closes. A request that may change
 *    something is therefore acted on one tick after its last byte, if its connection still stands.
 * 2. uWS knows no trailers and takes them for the next request. Behind a chunked body nothing is
 *    read any more, and its answer is the connection's last.
 */

import * as uWS from "uWebSockets.js";
import { STATUS_CODES } from "node:http";
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import {
  type Answer,
  formatHeaderLine,
  type HttpRequest,
  type Stream,
} from "../exchange/answer.ts";
import { stalledBody } from "../exchange/stalled-body.ts";
import type { Application, BodyBounds } from "./application.ts";
import {
  Arrival,
  bufferReceiver,
  noReceiver,
  type Receiver,
  streamReceiver,
  watchArrivals,
} from "./arrival.ts";
import { Connections, socketTable } from "./connections.ts";
import { Departure } from "./departure.ts";
import { FieldLines } from "./field-lines.ts";
import { findRefusal } from "./framing.ts";
import { checkFree, createPortTakenError } from "./free-port.ts";
import { IncomingBody, type Valve } from "./incoming-body.ts";
import { OpenAnswers } from "./open-answers.ts";
import { ResponseSink } from "./response-sink.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

export interface Listener {
  /** Accepts no more connections; open requests go on, each answer the last on its connection. */
  stopListening(): void;
  /** Resolves when no request waits for an answer, at the latest after `patienceMs`. */
  awaitAnswered(patienceMs: number): Promise<void>;
  /** Closes all connections that are still open. */
  close(): void;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly connectionsPerAddress: number;
  readonly proxies: TrustedProxies;
}

/** Starts to listen. Throws `ListenError`. */
export async function listen(
  api: Application,
  options: ListenOptions,
  clock: Clock,
): Promise<Listener> {
  await checkFree(options);
  const app = uWS.App();
  const { port, connectionsPerAddress, proxies } = options;
  const connections = new Connections(port, connectionsPerAddress, clock, socketTable);
  const track = (res: uWS.HttpResponse, change: number) => {
    if (change < 0) connections.onClose();
    else if (!connections.onOpen(getHexAddress(res)) && !proxies.has(getAddress(res))) res.close();
  };
  app.filter(track);
  const open = new OpenAnswers(clock);
  const listening: Listening = { api, proxies, arrivals: new Set(), open };
  watchArrivals(listening.arrivals, clock);
  app.any("/*", (res, req) => take(listening, res, req));
  const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => {
    app.listen(options.host, options.port, resolve);
  });
  if (socket === false) throw createPortTakenError(options);
  return {
    stopListening() {
      if (open.areLast) return;
      open.areLast = true;
      // Connections not accepted yet are reset by this; there are fewest of them at this moment.
      setImmediate(() => uWS.us_listen_socket_close(socket));
    },
    awaitAnswered: (patienceMs) => open.onEnd(patienceMs),
    close: () => void app.close(),
  };
}

/** Dependencies that all requests of a listener share. */
interface Listening {
  readonly api: Application;
  readonly proxies: TrustedProxies;
  readonly arrivals: Set<Arrival>;
  readonly open: OpenAnswers;
}

/** One request and its response. uWS allows no use of it once the client has disconnected. */
class Exchange implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly headerBytes: number;
  /** Number of headers that define where the body ends. */
  readonly framings: number;
  /** Name of a header that was repeated although it may occur once only. */
  readonly repeated: string | undefined;
  body: HttpRequest["body"] = noBody;
  incoming: IncomingBody | undefined;
  /** Arrival of the body; undefined without a body, or when no route reads it. */
  arrival: Arrival | undefined;
  /** Called once the whole answer was passed to uWS, or when there will be none. */
  onAnswered: (() => void) | undefined;
  private readonly res: uWS.HttpResponse;
  private readonly proxies: TrustedProxies;
  private readonly departure = new Departure();
  private waits = false;

  constructor(res: uWS.HttpResponse, req: uWS.HttpRequest, proxies: TrustedProxies) {
    const lines = new FieldLines();
    req.forEach((name, value) => {
      lines.add(name, value);
    });
    this.res = res;
    this.proxies = proxies;
    this.method = req.getCaseSensitiveMethod().toUpperCase();
    this.path = req.getUrl();
    this.query = req.getQuery() ?? "";
    this.headers = lines.headers;
    this.headerBytes = lines.bytes;
    this.framings = lines.framings;
    this.repeated = lines.repeated;
  }

  get isChunked(): boolean {
    return this.headers["transfer-encoding"] !== undefined;
  }

  /** Whether the method is safe, so that it changes nothing (RFC 9110, 9.2.1). */
  get isSafe(): boolean {
    return this.method === "GET" || this.method === "HEAD" || this.method === "OPTIONS";
  }

  get address(): string {
    if (this.isGone()) return "";
    return this.proxies.client(getAddress(this.res), this.headers["x-forwarded-for"]);
  }

  /** Copies the body, since uWS lends its chunks only for the duration of a call. */
  keepBody(): void {
    if (typeof this.body !== "string") this.body = Uint8Array.from(this.body);
  }

  isGone(): boolean {
    return this.departure.isGone();
  }

  onGone(listener: () => void): () => void {
    return this.departure.onGone(listener);
  }

  /** Must be called before the request's handler returns without an answer. */
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
    // Writes the whole head in one native call, which costs as much as a call for each header.
    let head = statusLines[status] ?? String(status);
    for (const header of headers) head += formatHeaderLine(header);
    const isHead = this.method === "HEAD";
    if (isHead)
      head += lengthLine(typeof body === "string" ? Buffer.byteLength(body) : body.length);
    // uWS adds this header itself when it ends a body that it has as a whole.
    if (closes && typeof body !== "string") head += "\r\nConnection: close";
    this.res.writeStatus(head);
    // With an argument, uWS would expect more of a response that has no body.
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

/** Handles one request from its head to its answer. */
function take(listening: Listening, res: uWS.HttpResponse, req: uWS.HttpRequest): void {
  const { api, proxies, open } = listening;
  const exchange = new Exchange(res, req, proxies);
  const refusal = findRefusal(exchange);
  if (refusal !== undefined) {
    // Deferred by a tick: while an answer is pending, uWS closes the connection on anything else in
    // the same packet.
    exchange.wait();
    const answer = api.refuse(refusal, exchange);
    setImmediate(() => exchange.send(answer, true));
    return;
  }
  const match = api.match(exchange.method, exchange.path);
  const { streamBytesMax, bodyBytesMax } = match;
  const takesBody = streamBytesMax !== undefined || bodyBytesMax > 0;
  if (exchange.framings === 0 || (!takesBody && !exchange.isChunked)) {
    if (exchange.isSafe) respond(listening, match, exchange);
    else {
      exchange.wait();
      exchange.onAnswered = open.begin();
      setImmediate(() => exchange.isGone() || respond(listening, match, exchange));
    }
    return;
  }
  exchange.wait();
  exchange.onAnswered = open.begin();
  takeBody(listening, match, exchange, res);
}

/** Receives the rest of a request whose body a route reads, or whose body's end is awaited. */
function takeBody(
  listening: Listening,
  match: BodyBounds,
  exchange: Exchange,
  res: uWS.HttpResponse,
): void {
  const { streamBytesMax, bodyBytesMax } = match;
  const valve = new SocketValve(res, exchange);
  if (streamBytesMax !== undefined) {
    const body = new IncomingBody(streamBytesMax, valve);
    exchange.incoming = body;
    exchange.onGone(() => body.break());
    receive(listening, exchange, res, valve, streamReceiver(body));
    respond(listening, match, exchange);
  } else if (bodyBytesMax === 0) {
    const arrival = receive(listening, exchange, res, valve, noReceiver);
    void arrival.drain().then(() => {
      if (arrival.isWhole) respond(listening, match, exchange);
      else exchange.send(listening.api.refuse(stalledBody, exchange), true);
    });
  } else if (Number(exchange.headers["content-length"]) > bodyBytesMax) {
    exchange.body = "too_large";
    respond(listening, match, exchange);
  } else {
    const whole = (body: HttpRequest["body"]) => {
      exchange.body = body;
      respond(listening, match, exchange);
    };
    receive(listening, exchange, res, valve, bufferReceiver(bodyBytesMax, whole));
  }
}

function receive(
  { arrivals }: Listening,
  exchange: Exchange,
  res: uWS.HttpResponse,
  valve: SocketValve,
  receiver: Receiver,
): Arrival {
  const arrival = new Arrival(valve, arrivals, receiver);
  exchange.arrival = arrival;
  res.onData((chunk, isLast) => {
    const bytes = new Uint8Array(chunk);
    if (!isLast) {
      arrival.push(bytes, false);
      return;
    }
    if (exchange.isChunked) valve.close();
    const last = Uint8Array.from(bytes);
    setImmediate(() => exchange.isGone() || arrival.push(last, true));
  });
  return arrival;
}

/** Pauses and resumes the connection of a request. */
class SocketValve implements Valve {
  private readonly res: uWS.HttpResponse;
  private readonly exchange: Exchange;
  private isClosed = false;

  constructor(res: uWS.HttpResponse, exchange: Exchange) {
    this.res = res;
    this.exchange = exchange;
  }

  pause(): void {
    if (!this.exchange.isGone()) this.res.pause();
  }

  resume(): void {
    if (!this.isClosed && !this.exchange.isGone()) this.res.resume();
  }

  /** Pauses the connection for good. */
  close(): void {
    this.pause();
    this.isClosed = true;
  }
}

function respond({ api, open }: Listening, match: BodyBounds, exchange: Exchange): void {
  const answer = api.answer(match, exchange);
  if (answer instanceof Promise) {
    exchange.wait();
    exchange.onAnswered ??= open.begin();
    void answer.then((ready) => conclude(exchange, ready, open.areLast));
  } else conclude(exchange, answer, open.areLast);
}

/**
 * Sends the answer so that a client that sends before it reads can read it: uWS drops the rest of a
 * body of known length; the end of any other body is awaited. `closes` makes the answer the last on
 * its connection.
 */
function conclude(exchange: Exchange, answer: Answer, closes: boolean): void {
  const { arrival, incoming, headers, isChunked } = exchange;
  const isLast = closes || isChunked;
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

function getHexAddress(res: uWS.HttpResponse): string {
  return Buffer.from(res.getRemoteAddress()).toString("hex");
}

function getAddress(res: uWS.HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString("latin1");
}
