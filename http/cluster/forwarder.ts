/**
 * Forwards requests to the nodes that own their shards. A request for a shard that has moved is
 * retried for a few seconds, since nothing was decided; when a node is lost during a request, the
 * outcome is unknown, unless the request only read.
 */

import { limits } from "../../config/limits.ts";
import type { ClusterNodes } from "../../engine/cluster/cluster-nodes.ts";
import type { Gateway } from "../../engine/gateway.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Presence } from "../../engine/ports/nodes.ts";
import type { HeldShard } from "../../engine/shard-holds.ts";
import type { Answer, HttpRequest } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import type { HopClient, HopNode } from "./hop-client.ts";
import { wholeText } from "./relayed-body.ts";

export interface ForwarderParts {
  readonly gateway: Gateway;
  readonly nodes: ClusterNodes;
  readonly client: HopClient;
  readonly clock: Clock;
}

export interface NodeAnswer {
  readonly node: string;
  readonly answer: unknown;
}

export class Forwarder {
  private readonly parts: ForwarderParts;

  constructor(parts: ForwarderParts) {
    this.parts = parts;
  }

  /**
   * Returns the answer of the node that owns the shard; undefined when this node owns it by now.
   * Throws `RefusalError` with 503.
   */
  async forward(
    shard: number,
    request: HttpRequest,
    requestId: string,
    credential: string | undefined,
  ): Promise<Answer | undefined> {
    const { gateway, nodes, client, clock } = this.parts;
    const { movedMs, movedAgainMs } = limits.cluster;
    const untilMs = clock.monotonicMs() + movedMs;
    request.keepBody();
    const body = request.incoming ?? (request.body as Uint8Array);
    const forwarded = { request, requestId, credential, body };
    for (;;) {
      if (gateway.owns(shard)) return undefined;
      const owner = nodes.getOwner(shard);
      if (owner !== undefined) {
        const outcome = await client.send(this.hopTo(owner), forwarded);
        if (outcome.kind === "answered") return outcome.answer;
        if (outcome.kind === "unreached") throw unavailable();
        if (outcome.kind === "lost" && !isRepeatable(request)) throw unavailable(unknownOutcome);
      }
      const isOver = clock.monotonicMs() >= untilMs || request.isGone();
      if (isOver || client.hasGivenUp) throw unavailable();
      await new Promise<void>((resolve) => clock.after(movedAgainMs, resolve));
    }
  }

  /**
   * Asks the node that owns the shard on one of the internal routes. Throws `RefusalError` with
   * 503.
   */
  async askPart(shard: number, path: string): Promise<unknown> {
    const answer = await this.forward(shard, partRequest("GET", path), "part", undefined);
    if (answer?.status !== 200) throw unavailable();
    return JSON.parse(await wholeText(answer));
  }

  /** Asks every other living node; the answer is undefined for a node that gives none. */
  askNodes(method: "GET" | "POST", path: string): Promise<readonly NodeAnswer[]> {
    const { nodes, client } = this.parts;
    const request = partRequest(method, path);
    const forwarded = { request, requestId: "part", credential: undefined, body: nothing };
    return Promise.all(
      nodes.others().map(async (other): Promise<NodeAnswer> => {
        const { node } = other;
        const outcome = await client.send(this.hopTo(other), forwarded);
        if (outcome.kind !== "answered" || outcome.answer.status !== 200)
          return { node, answer: undefined };
        const text = await wholeText(outcome.answer).catch(() => undefined);
        return { node, answer: text && JSON.parse(text) };
      }),
    );
  }

  private hopTo({ node, address, startedAtMs }: Presence): HopNode {
    return {
      life: { node, startedAtMs },
      address,
      isLiving: () => this.parts.nodes.isLiving(node),
    };
  }
}

const nothing = new Uint8Array(0);

function partRequest(method: string, path: string): HttpRequest {
  return {
    method,
    path,
    query: "",
    headers: {},
    address: "",
    body: nothing,
    incoming: undefined,
    keepBody: () => undefined,
    isGone: () => false,
    onGone: () => () => undefined,
  };
}

const unknownOutcome =
  "The outcome is unknown. Establish whether the request took effect before repeating it.";

/** Whether a request only reads; a ticket is used up by the request that opens with it. */
function isRepeatable({ method, query }: HttpRequest): boolean {
  return (method === "GET" || method === "HEAD") && !/(?:^|&)ticket=/.test(query);
}

function unavailable(detail?: string): RefusalError {
  const { retryAfterSeconds } = limits.http;
  return new RefusalError({
    code: "unavailable",
    retryAfterSeconds,
    ...(detail === undefined ? {} : { detail }),
  });
}

/** This node's access to the other nodes of the cluster. */
export interface Cluster {
  readonly nodes: ClusterNodes;
  readonly forwarder: Forwarder;
  /** Makes this node give up its shards, take over none, end streams, and go on forwarding. */
  drain(): void;
  /** Halts commits of the shards that are owned here; see `Host`. Rejects with a `PortError`. */
  hold(name: string): Promise<readonly HeldShard[]>;
  /** Ends a hold. Returns whether the shards were held without a break until now. */
  resume(name: string): boolean;
}

declare module "../service.ts" {
  interface Service {
    /** Set once the other nodes can be reached; undefined without a cluster. */
    cluster: Cluster | undefined;
  }
}
