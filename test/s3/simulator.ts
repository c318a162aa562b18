/** Simulates an S3 server that misbehaves as a test says. It checks no signature. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import type { ObjectStore } from "../../config/settings.ts";

export interface Simulator {
  readonly store: ObjectStore;
  /** Method and path of each request, in order. */
  readonly asked: readonly string[];
}

export type Misbehave = (
  request: IncomingMessage & { readonly body: string },
  response: ServerResponse,
) => void;

export async function startSimulator(t: Test, misbehave: Misbehave): Promise<Simulator> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    asked.push(`${request.method} ${request.url}`);
    text(request).then(
      (body) => misbehave(Object.assign(request, { body }), response),
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = { accessKey: "the access key", secretKey: "the secret key" };
  return { store: { endpoint, bucket: "bucket", region: "us-east-1", ...keys }, asked };
}

export function refuse(response: ServerResponse, status: number, code: string, more = ""): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`);
}
