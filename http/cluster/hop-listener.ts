/**
 * Where other nodes send requests of scopes that this node owns. Only signed requests get further
 * than their head; a request is answered here or not at all, never forwarded again. One that was
 * meant for another node, or for an earlier life of this one, is told that its scope has moved: it
 * may have been recorded, and played to a node that does not remember that it came before.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { limits } from "../../config/limits.ts";
import type { Api } from "../api.ts";
import { ListenError } from "../transport/free-port.ts";
import { hostAndPort } from "./hop-client.ts";
import {
  headSignatureHeader,
  hopHeader,
  movedHeader,
  type NodeLife,
  readHop,
  refusedHeader,
} from "./hop-head.ts";
import { HopRequest } from "./hop-request.ts";
import { writeAnswer } from "./hop-response.ts";
import { type HopNonces, type HopSigner, isSameSignature } from "./hop-signature.ts";

export interface HopListener {
  /** Accepts no more connections; open requests go on. */
  stopListening(): void;
  /** Closes all connections that are still open. */
  close(): void;
}

export interface HopPorts {
  /** Identity of this node. */
  readonly self: NodeLife;
  readonly api: Api;
  /** Answers requests that only other nodes make. */
  readonly parts: Api;
  readonly signer: HopSigner;
  readonly nonces: HopNonces;
}

/** Listens on `address`, which is `host:port`. Throws `ListenError`. */
export async function listenToNodes(address: string, ports: HopPorts): Promise<HopListener> {
  const server = createServer({ maxHeaderSize: limits.cluster.hopHeaderBytesMax });
  server.keepAliveTimeout = limits.cluster.hopKeepAliveMs;
  // Streams and waits take long; the forwarding node deals with a client that stalls.
  server.requestTimeout = 0;
  server.on("request", (request, response) => take(ports, request, response, false));
  server.on("checkContinue", (request, response) => take(ports, request, response, true));
  server.on("clientError", (_, socket) => socket.destroy());
  await listening(server, address);
  return {
    stopListening: () => void server.close(),
    close: () => server.closeAllConnections(),
  };
}

function listening(server: Server, address: string): Promise<void> {
  const [host, port] = hostAndPort(address);
  return new Promise((resolve, reject) => {
    const onFailure = (error: NodeJS.ErrnoException) =>
      reject(
        new ListenError(
          `The service cannot listen on ${address} for other nodes (${error.code}); set KLIEG_CLUSTER_ADDRESS to a free port on this machine.`,
        ),
      );
    server.once("error", onFailure);
    server.listen(port, host, () => {
      server.off("error", onFailure);
      server.on("error", () => {});
      resolve();
    });
  });
}

function take(
  { self, api: forClients, parts, signer, nonces }: HopPorts,
  incoming: IncomingMessage,
  response: ServerResponse,
  isExpecting: boolean,
): void {
  response.sendDate = false;
  response.on("error", () => {});
  incoming.on("error", () => {});
  const header = String(incoming.headers[hopHeader] ?? "");
  const signature = String(incoming.headers[headSignatureHeader] ?? "");
  const { method = "", url = "" } = incoming;
  const isSigned = isSameSignature(signer.signHead(method, url, header), signature);
  const hop = isSigned ? readHop(header) : undefined;
  if (hop === undefined || !nonces.takes(hop.nonce, hop.atMs)) {
    refuse(response);
    return;
  }
  if (hop.to.node !== self.node || hop.to.startedAtMs !== self.startedAtMs) {
    sayMoved(response);
    return;
  }
  const request = new HopRequest(incoming, response, hop, signer);
  const api = request.path.startsWith("/parts/") ? parts : forClients;
  const match = api.match(method, request.path);
  if (!api.isHere(match, request, hop.credential)) {
    sayMoved(response);
    return;
  }
  if (isExpecting) response.writeContinue();
  void respond(api, match, request, response);
}

async function respond(
  api: Api,
  match: ReturnType<Api["match"]>,
  request: HopRequest,
  response: ServerResponse,
): Promise<void> {
  const { bodyBytesMax, streamBytesMax } = match;
  // A body that does not match its signature gets no answer.
  if (await request.receive(bodyBytesMax, streamBytesMax))
    writeAnswer(await api.answer(match, request), request, response);
  else response.destroy();
}

/** The reason is left out: a node gets here only with a different key, clock or version. */
function refuse(response: ServerResponse): void {
  const headers = { [refusedHeader]: "1", "content-length": 0, connection: "close" };
  response.writeHead(401, headers).end();
}

function sayMoved(response: ServerResponse): void {
  response.writeHead(421, { [movedHeader]: "1", "content-length": 0, connection: "close" }).end();
}
