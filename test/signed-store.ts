/** An object store reached by signed URLs, as any S3 store is; it keeps everything in memory. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Test } from "tap";
import { memoryObjects } from "../engine/adapters/objects/memory-objects.ts";
import type { Objects } from "../engine/ports/objects.ts";

export interface SignedStore {
  readonly objects: Objects;
  /** Method and key of each request, such as `GET key`. */
  readonly asked: string[];
  /** Answers the next `requests` requests with a status, or breaks them off after some bytes. */
  fail(requests: number, how: "refuse" | "break", status?: number): void;
}

export async function startSignedStore(t: Test): Promise<SignedStore> {
  const objects = memoryObjects();
  const ordersByName = new Map<string, readonly [method: string, key: string]>();
  const asked: string[] = [];
  let failing: readonly [left: number, how: "refuse" | "break", status: number];
  failing = [0, "refuse", 503];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [method, key] = ordersByName.get((request.url ?? "").slice(1)) ?? [];
    asked.push(`${request.method} ${key}`);
    if (key === undefined || method !== request.method) return void response.writeHead(403).end();
    const [left, how, status] = failing;
    failing = [left - 1, how, status];
    if (left > 0 && how === "refuse") return void response.writeHead(status).end();
    if (method === "PUT") {
      if (request.headers["content-length"] === undefined)
        return void response.writeHead(411).end();
      await objects.put(key, [await buffer(request)]);
      return void response.writeHead(200).end();
    }
    const found = await objects.stat(key);
    if (found === undefined) return void response.writeHead(404).end();
    const { sizeBytes } = found;
    const [, from = "0", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const [start, end] = [Number(from), Math.min(sizeBytes, Number(to) + 1)];
    if (start >= sizeBytes)
      return void response.writeHead(416, { "content-range": `bytes */${sizeBytes}` }).end();
    response.writeHead(206, {
      "content-range": `bytes ${start}-${end - 1}/${sizeBytes}`,
      "content-length": end - start,
    });
    for await (const chunk of objects.read(key, { start, end })) {
      response.write(chunk);
      if (left > 0) {
        // The bytes that were written must have left before the connection breaks.
        await new Promise<void>((resolve) => response.write("", () => resolve()));
        return void response.destroy();
      }
    }
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const presign = async (method: "GET" | "PUT", key: string): Promise<string> => {
    const name = randomUUID();
    ordersByName.set(name, [method, key]);
    return `http://127.0.0.1:${port}/${name}`;
  };
  return {
    objects: { ...objects, presign },
    asked,
    fail(requests, how, status = 503) {
      failing = [requests, how, status];
    },
  };
}
