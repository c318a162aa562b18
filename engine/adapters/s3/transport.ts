/**
 * How requests reach an object store: over connections that are kept, in bounded time, with bounded
 * answers. The client library asks through this, since by itself it waits for ever, reads answers
 * of any length, and leaves the connection of a refused request open.
 *
 * 1. An answer that holds no object is taken in whole before the library sees it.
 * 2. A store that has too much to do is `Overloaded`; the library would try again by itself and say
 *    so on standard error.
 * 3. An object's bytes come as they are read. Who reads them bounds the time that each may take.
 */
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { Readable } from "node:stream";

export interface TransportBounds {
  /** Time limit for establishing a connection. */
  readonly connectMs: number;
  /** Longest time without a byte in either direction. */
  readonly silenceMs: number;
  /** Longest silence while the store assembles an object and sends nothing. */
  readonly assemblyMs: number;
}

/** Largest answer other than an object: a page of a listing has a thousand keys. */
const answerBytesMax = 8 * 1024 * 1024;
const connectionsMax = 256;
/** Connections of readers, which may be slow; they keep no other request waiting. */
const readersMax = 4_096;
const idleConnectionsMax = 64;
const overloadedStatuses: ReadonlySet<number> = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

/** The store is overloaded; a later attempt may well succeed. */
export class Overloaded extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

export class SilentStore extends Error {
  override readonly message = "the object store was silent for too long";
}

export class LongAnswer extends Error {
  override readonly message = "the object store's answer is too long";
}

/** The transport in the form that the library takes: it sends requests in place of `node:http`. */
export function openTransport(
  isSecure: boolean,
  bounds: TransportBounds,
): Pick<typeof http, "request"> {
  const { request, Agent } = isSecure ? https : http;
  const kept = { keepAlive: true, maxFreeSockets: idleConnectionsMax };
  const agent = new Agent({ ...kept, maxSockets: connectionsMax });
  const readers = new Agent({ ...kept, maxSockets: readersMax });
  const send = (options: RequestOptions, take: (answer: IncomingMessage) => void) => {
    const isRead = isObject(options);
    const sent = request({ ...options, agent: isRead ? readers : agent }, (answer) => {
      // Attached at once, so that no error is unhandled; the reader gets the error.
      answer.on("error", () => undefined);
      receive(sent, answer, isRead, take);
    });
    limitTime(sent, bounds, isAssembly(options));
    return sent;
  };
  return { request: send as typeof http.request };
}

function receive(
  sent: ClientRequest,
  answer: IncomingMessage,
  isStreamed: boolean,
  take: (answer: IncomingMessage) => void,
): void {
  const { statusCode = 0, headers } = answer;
  if (overloadedStatuses.has(statusCode)) {
    answer.destroy();
    sent.emit("error", new Overloaded(statusCode));
  } else if (isStreamed && (statusCode === 200 || statusCode === 206)) {
    sent.setTimeout(0);
    take(answer);
  } else
    readWhole(answer).then(
      (body) =>
        take(Object.assign(createReadable(body), { statusCode, headers }) as IncomingMessage),
      (error: unknown) => {
        answer.destroy();
        sent.emit("error", error);
      },
    );
}

function limitTime(sent: ClientRequest, bounds: TransportBounds, isAssembly: boolean): void {
  const giveUp = () => void sent.destroy(new SilentStore());
  sent.setTimeout(isAssembly ? bounds.assemblyMs : bounds.silenceMs, giveUp);
  const timer = setTimeout(giveUp, bounds.connectMs);
  const stop = () => clearTimeout(timer);
  sent.once("close", stop);
  sent.once("socket", (socket) => {
    if (socket.connecting) socket.once("connect", stop);
    else stop();
  });
}

/** Objects are requested without query parameters; listings and the like have some. */
function isObject({ method, path }: RequestOptions): boolean {
  return method === "GET" && path?.includes("?") === false;
}

/** Whether the store assembles an object: a copy, or the completion of an upload in parts. */
function isAssembly({ method, path, headers }: RequestOptions): boolean {
  const isCopy = headers !== undefined && "x-amz-copy-source" in headers;
  return isCopy || (method === "POST" && path?.includes("uploadId=") === true);
}

async function readWhole(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > answerBytesMax) throw new LongAnswer();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function createReadable(body: Buffer): Readable {
  return Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
}
