import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

/** A request of the client, with the parsed body. */
export interface Asked {
  readonly route: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

export type Answer = (response: ServerResponse, asked: Asked) => void;

/**
 * A server that answers each request with the next answer scripted for its route, and repeats the
 * last one. Routes have the form `GET /v1/me`, without the query.
 */
export async function standIn(t: Test, script: Readonly<Record<string, readonly Answer[]>>) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const route = `${request.method} ${request.url?.split("?")[0]}`;
      const text = Buffer.concat(chunks).toString();
      const type = request.headers["content-type"] ?? "";
      const parse = () => {
        if (type.startsWith("multipart/") || type === "application/zip") return text;
        const isForm = type.includes("form");
        return isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
      };
      const one: Asked = {
        route,
        headers: request.headers,
        body: text === "" ? undefined : parse(),
      };
      const earlier = asked.filter((other) => other.route === route).length;
      asked.push(one);
      const answers = script[route] ?? [json(404, { title: "Not Found" })];
      answers[Math.min(earlier, answers.length - 1)]?.(response, one);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, asked };
}

/** Returns an origin on which no server listens. */
export async function deadOrigin(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));
}

/** Closes the connection without an answer. */
export const silence: Answer = (response) => response.destroy();

export function events(...frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) response.write(frame);
    response.end();
  };
}

export function frame(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
