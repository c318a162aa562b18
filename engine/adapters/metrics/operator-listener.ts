/** The listener for an operator's Prometheus: open to this machine only, and only for metrics. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { Sample } from "../../metrics/tally.ts";
import { isForLoopback, loopbackHost } from "../../network/loopback.ts";
import { expose, expositionType, ProcessFigures } from "./exposition.ts";

interface Notes {
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
}

/**
 * Opens no listener for port 0. A port that is taken only disables the metrics, not the service.
 * Ends with the process.
 */
export async function listenToOperators(
  port: number,
  notes: Notes,
  gather: () => Promise<readonly Sample[]>,
): Promise<void> {
  if (port === 0) return;
  const process = new ProcessFigures();
  const server = createServer((request, response) => {
    request.on("error", () => {});
    response.on("error", () => {});
    request.resume();
    if (!isForLoopback(request, server)) return refuse(response, 403);
    if (request.url !== "/metrics") return refuse(response, 404);
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405);
    gather()
      .then(async (samples) => expose(samples, await process.all()))
      .then(
        (text) => response.writeHead(200, { "content-type": expositionType }).end(text),
        () => refuse(response, 503),
      );
  });
  server.on("clientError", (_, socket) => socket.destroy());
  server.unref();
  try {
    await once(server.listen(port, loopbackHost), "listening");
    notes.info({ port }, "metrics listener started");
  } catch (error) {
    notes.warn({ err: error, port }, "metrics listener failed, set KLIEG_OPERATOR_PORT");
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": 0 }).end();
}
