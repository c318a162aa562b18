/** Writes answers to other nodes over `node:http`. */
import type { ServerResponse } from "node:http";
import {
  type Answer,
  formatHeaderLine,
  type HttpRequest,
  type Sink,
  type Stream,
} from "../exchange/answer.ts";

export function writeAnswer(answer: Answer, request: HttpRequest, response: ServerResponse): void {
  if (request.isGone()) return;
  const { status, body } = answer;
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const headers: string[] = [];
  // Node encodes header text as Latin-1, but the bytes must be UTF-8.
  for (const header of answer.headers)
    if (formatHeaderLine(header) !== "")
      headers.push(header[0], Buffer.from(header[1], "utf8").toString("latin1"));
  const isBodyless = status === 204 || status === 304;
  if (length !== undefined && !isBodyless) headers.push("Content-Length", String(length));
  response.writeHead(status, headers);
  if (request.method === "HEAD" || isBodyless) response.end();
  else if (typeof body === "string") response.end(body);
  else stream(body, request, response);
}

function stream(body: Stream, request: HttpRequest, response: ServerResponse): void {
  const sink = new ResponseSink(response);
  const stop = body.start(sink);
  let isStopped = false;
  const stopOnce = () => {
    if (!isStopped) stop();
    isStopped = true;
  };
  if (response.writableEnded || request.isGone()) stopOnce();
  else response.on("close", stopOnce);
}

class ResponseSink implements Sink {
  private readonly response: ServerResponse;

  constructor(response: ServerResponse) {
    this.response = response;
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.response.writableEnded || this.response.destroyed) return true;
    return this.response.write(chunk);
  }

  unsent(): number {
    return this.response.writableLength;
  }

  onDrain(listener: () => void): void {
    this.response.on("drain", listener);
  }

  end(): void {
    if (!this.response.destroyed) this.response.end();
  }

  abort(): void {
    this.response.destroy();
  }
}
