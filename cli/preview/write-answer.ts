import type { ServerResponse } from "node:http";
import type { Answer, Header, Sink } from "../../http/exchange/answer.ts";

/** Sends an answer over Node's own HTTP. */
export function writeAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
  more: readonly Header[],
): void {
  response.statusCode = status;
  for (const [name, value] of [...more, ...headers]) response.setHeader(name, value);
  if (typeof body === "string") {
    response.end(body);
    return;
  }
  if (body.length !== undefined) response.setHeader("Content-Length", body.length);
  response.flushHeaders();
  const stop = body.start(createSink(response));
  response.once("close", stop);
}

function createSink(response: ServerResponse): Sink {
  return {
    write: (chunk) => response.write(chunk),
    unsent: () => response.writableLength,
    onDrain(listener) {
      response.on("drain", listener);
    },
    end() {
      response.end();
    },
    abort() {
      response.destroy();
    },
  };
}
