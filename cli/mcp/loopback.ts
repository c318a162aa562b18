/**
 * The protocol over HTTP, for programs on this machine alone.
 *
 * 1. Host and Origin are checked before anything else.
 * 2. Each request shows the bearer that was printed at the start.
 * 3. Bodies, connections and time are bounded.
 */
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getPort, isForLoopback, loopbackHost } from "../../engine/network/loopback.ts";
import { closeNow, isOfOwnPage, listenOnLoopback } from "../loopback/loopback.ts";

const bounds = {
  /** Room for an upload of 8 MiB in base64 and the rest of its request. */
  bodyBytesMax: 12 * 1_048_576,
  connectionsMax: 64,
  /** Time within which a request must have arrived completely. */
  requestMs: 60_000,
} as const;

export type AnswerPost = (
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
) => Promise<void>;

export interface Loopback {
  readonly url: string;
  readonly close: () => void;
}

export async function openLoopback(
  port: number,
  bearer: string,
  answer: AnswerPost,
): Promise<Loopback> {
  const server = createServer({ requestTimeout: bounds.requestMs }, (request, response) => {
    respond(request, response, bearer, answer, server).catch(() => {
      if (!response.headersSent) refuse(response, 500, "The request could not be answered.");
      else response.destroy();
    });
  });
  server.maxConnections = bounds.connectionsMax;
  await listenOnLoopback(server, port);
  return {
    url: `http://${loopbackHost}:${getPort(server)}/mcp`,
    close: () => closeNow(server),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  bearer: string,
  answer: AnswerPost,
  server: Server,
): Promise<void> {
  const { origin, authorization = "" } = request.headers;
  if (!isForLoopback(request, server))
    return refuse(response, 403, "The Host header does not name this machine.");
  if (origin !== undefined && !isOfOwnPage(request))
    return refuse(response, 403, "The Origin header names another origin.");
  if (!isEqual(authorization, `Bearer ${bearer}`)) {
    response.setHeader("WWW-Authenticate", "Bearer");
    return refuse(response, 401, "Send the bearer token that klieg mcp printed.");
  }
  if (request.url !== "/mcp") return refuse(response, 404, "The only path is /mcp.");
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST");
    return refuse(response, 405, "Only POST is allowed.");
  }
  const body = await readBody(request);
  if (body === undefined) return refuse(response, 413, "The body is too large.");
  const parsed = parse(body);
  if (parsed === undefined) return refuse(response, 400, "The body is not valid JSON.");
  await answer(request, response, parsed);
}

function isEqual(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Returns the body, or undefined when it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bounds.bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { "Content-Type": "application/json", Connection: "close" })
    .end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }));
}
