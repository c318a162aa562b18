/** Makes one attempt to have another node answer a request, over HTTP/1.1 with keep-alive. */
import { Agent, type ClientRequest, type IncomingMessage, request as open } from "node:http";
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import type { Answer, Header, HttpRequest } from "../exchange/answer.ts";
import {
  bodySignatureTrailer,
  headSignatureHeader,
  hopHeader,
  movedHeader,
  type NodeLife,
  refusedHeader,
  writeHop,
} from "./hop-head.ts";
import { bodyDigest, type HopSigner } from "./hop-signature.ts";
import { isEventStream, relayBody } from "./relayed-body.ts";

export type HopOutcome =
  | { readonly kind: "answered"; readonly answer: Answer }
  /** The node does not own the shard: nothing was decided. */
  | { readonly kind: "moved" }
  /** The node cannot be reached, or refuses this one: nothing was decided. */
  | { readonly kind: "unreached" }
  /** The connection broke: the outcome is unknown. */
  | { readonly kind: "lost" };

export interface HopClientParts {
  readonly signer: HopSigner;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Called when the node at `address` begins or stops refusing requests of this node. */
  readonly onRefused: (address: string, isRefused: boolean) => void;
}

export interface HopNode {
  readonly life: NodeLife;
  /** Host and port of the node. */
  readonly address: string;
  /** Whether the node has reported recently enough to count as living. */
  readonly isLiving: () => boolean;
}

/** A request to forward, perhaps more than once. */
export interface Forwarded {
  readonly request: HttpRequest;
  readonly requestId: string;
  /** Id of the credential that identifies the client. */
  readonly credential: string | undefined;
  /** The body as a whole, or as a stream. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Headers of an answer that belong to one connection, or are made anew. */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "trailer",
  "transfer-encoding",
]);

export class HopClient {
  private readonly parts: HopClientParts;
  private readonly agent = new Agent({
    keepAlive: true,
    maxSockets: limits.cluster.hopSocketsMax,
    maxFreeSockets: limits.cluster.hopFreeSocketsMax,
    timeout: limits.cluster.hopIdleMs,
  });
  private readonly streams = new Set<IncomingMessage>();
  private readonly unanswered = new Set<ClientRequest>();
  /** Addresses of nodes that refuse this one. */
  private readonly refusing = new Set<string>();
  private isGivenUp = false;

  constructor(parts: HopClientParts) {
    this.parts = parts;
  }

  /**
   * Sends a request. A streamed body is read only once the node has accepted the request. A node
   * that stops responding is given up, before its answer or in the middle of it.
   */
  send(node: HopNode, forwarded: Forwarded): Promise<HopOutcome> {
    const { request, requestId, credential, body } = forwarded;
    const [host, port] = hostAndPort(node.address);
    const path = request.query === "" ? request.path : `${request.path}?${request.query}`;
    const hasBody = !(body instanceof Uint8Array) || body.length > 0;
    const nonce = Buffer.from(this.parts.entropy.bytes(18)).toString("base64url");
    const headers = { ...selectHeaders(request), "x-request-id": requestId };
    const hop = writeHop({
      to: node.life,
      headers,
      address: request.address,
      hasBody,
      nonce,
      ...(credential === undefined ? {} : { credential }),
      atMs: this.parts.clock.nowMs(),
    });
    const { method } = request;
    const sent = open({
      agent: this.agent,
      host,
      port,
      method,
      path,
      headers: {
        [hopHeader]: hop,
        [headSignatureHeader]: this.parts.signer.signHead(method, path, hop),
        ...(hasBody ? { "transfer-encoding": "chunked", trailer: bodySignatureTrailer } : {}),
        ...(body instanceof Uint8Array ? {} : { expect: "100-continue" }),
      },
    });
    this.unanswered.add(sent);
    sent.on("close", () => this.unanswered.delete(sent));
    sent.on("response", (response) => {
      this.unanswered.delete(sent);
      this.noteRefusal(node, response);
      this.keepStream(response);
    });
    const outcome = awaitOutcome(sent, request);
    this.watch(sent, node);
    if (!hasBody) sent.end();
    else if (body instanceof Uint8Array) void this.sendBody(sent, [body], nonce);
    else {
      sent.on("continue", () => void this.sendBody(sent, body, nonce));
      sent.flushHeaders();
    }
    return outcome;
  }

  /** Ends the streams, and asks their clients to reconnect. */
  endStreams(): void {
    for (const stream of this.streams) stream.destroy();
  }

  /** Whether this node is shutting down, so that nothing is retried. */
  get hasGivenUp(): boolean {
    return this.isGivenUp;
  }

  /** Aborts all requests that have no answer yet. */
  giveUp(): void {
    this.isGivenUp = true;
    for (const sent of this.unanswered) sent.destroy(new Error("this node ends"));
  }

  private noteRefusal({ address }: HopNode, { headers }: IncomingMessage): void {
    const isRefused = headers[refusedHeader] !== undefined;
    if (isRefused !== this.refusing.has(address)) this.parts.onRefused(address, isRefused);
    if (isRefused) this.refusing.add(address);
    else this.refusing.delete(address);
  }

  private keepStream(response: IncomingMessage): void {
    if (!isEventStream(response)) return;
    this.streams.add(response);
    response.on("close", () => this.streams.delete(response));
  }

  close(): void {
    this.agent.destroy();
  }

  /** Watches the node, because a process that hangs keeps its connections open. */
  private watch(sent: ClientRequest, node: HopNode): void {
    let cancel = () => {};
    const look = () => {
      if (!node.isLiving()) sent.destroy(new Error("the node is silent"));
      else cancel = this.parts.clock.after(limits.cluster.hopCheckMs, look);
    };
    look();
    sent.on("close", () => cancel());
  }

  /**
   * Sends as fast as the node reads. A body that breaks off aborts the request, and so does one
   * that is dropped because the node has answered without it; that answer is kept, though Node
   * drops an answer together with its request.
   */
  private async sendBody(
    sent: ClientRequest,
    body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    nonce: string,
  ): Promise<void> {
    const digest = bodyDigest();
    let answer: IncomingMessage | undefined;
    sent.once("response", (response) => {
      answer = response;
    });
    try {
      for await (const chunk of body) {
        digest.update(chunk);
        if (!sent.write(chunk)) await awaitDrain(sent);
      }
      sent.addTrailers({ [bodySignatureTrailer]: this.parts.signer.signBody(nonce, digest) });
      sent.end();
    } catch {
      breakOff(sent, answer);
    }
  }
}

function awaitOutcome(sent: ClientRequest, request: HttpRequest): Promise<HopOutcome> {
  return new Promise((resolve) => {
    let isConnected = false;
    const unlisten = request.onGone(() => sent.destroy());
    const settle = (outcome: HopOutcome) => {
      unlisten();
      resolve(outcome);
    };
    sent.on("socket", (socket) => {
      if (!socket.connecting) isConnected = true;
      else
        socket.once("connect", () => {
          isConnected = true;
        });
    });
    sent.on("error", () => settle({ kind: isConnected ? "lost" : "unreached" }));
    sent.on("response", (response) => {
      const hasMoved = response.headers[movedHeader] !== undefined;
      if (!hasMoved && response.headers[refusedHeader] === undefined) {
        settle({ kind: "answered", answer: buildAnswer(response, request) });
        return;
      }
      response.resume();
      settle({ kind: hasMoved ? "moved" : "unreached" });
    });
  });
}

/** Ends a request whose body breaks off, once its answer, if there is one, was read. */
function breakOff(sent: ClientRequest, answer: IncomingMessage | undefined): void {
  const end = () => void sent.destroy();
  if (answer === undefined || answer.readableEnded || answer.destroyed) end();
  else answer.once("end", end).once("close", end);
}

function awaitDrain(sent: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    sent.once("drain", resolve);
    sent.once("close", () => reject(new Error("the connection is closed")));
  });
}

function selectHeaders({ headers }: HttpRequest): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) given[name] = value;
  return given;
}

function buildAnswer(response: IncomingMessage, { method }: HttpRequest): Answer {
  const headers: Header[] = [];
  const { rawHeaders } = response;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    // Node decodes header bytes as Latin-1, but they are UTF-8.
    const value = Buffer.from(rawHeaders[at + 1] ?? "", "latin1").toString("utf8");
    if (!ofConnection.has(name.toLowerCase())) headers.push([name, value]);
  }
  const status = response.statusCode ?? 502;
  return { status, headers, body: relayBody(response, method === "HEAD") };
}

/** Splits `host:port`, in which the host of an IPv6 address is in brackets. */
export function hostAndPort(address: string): readonly [host: string, port: number] {
  const at = address.lastIndexOf(":");
  return [address.slice(0, at).replace(/^\[(.*)\]$/, "$1"), Number(address.slice(at + 1))];
}
