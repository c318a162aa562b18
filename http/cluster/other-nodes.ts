/** Connects this node to the others: presence, questions to shards, and forwarded requests. */
import { ClusterNodes } from "../../engine/cluster/cluster-nodes.ts";
import { Elsewhere } from "../../engine/cluster/elsewhere.ts";
import type { Host } from "../../engine/host.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Nodes } from "../../engine/ports/nodes.ts";
import type { ShardLine } from "../../engine/ports/shard-line.ts";
import { Api } from "../api.ts";
import type { Service } from "../service.ts";
import { Forwarder } from "./forwarder.ts";
import { HopClient } from "./hop-client.ts";
import { type HopListener, listenToNodes } from "./hop-listener.ts";
import { HopNonces, HopSigner } from "./hop-signature.ts";
import { ownPresence } from "./own-presence.ts";
import { partRoutes } from "./part-routes.ts";

export interface OtherNodesPorts {
  readonly service: Service;
  readonly api: Api;
  readonly clock: Clock;
  readonly said: Nodes;
  readonly line: ShardLine;
  readonly host: Pick<Host, "drain" | "hold" | "resume">;
  /** Called when the node at `address` begins or stops refusing requests of this one. */
  readonly onRefused: (address: string, isRefused: boolean) => void;
  /** Closes the connection behind `said` and `line`. */
  readonly close: () => Promise<void>;
}

export class OtherNodes {
  private readonly nodes: ClusterNodes;
  private readonly elsewhere: Elsewhere;
  private readonly client: HopClient;
  private readonly listener: HopListener;
  private readonly close: () => Promise<void>;

  private constructor(
    nodes: ClusterNodes,
    elsewhere: Elsewhere,
    client: HopClient,
    listener: HopListener,
    close: () => Promise<void>,
  ) {
    this.nodes = nodes;
    this.elsewhere = elsewhere;
    this.client = client;
    this.listener = listener;
    this.close = close;
  }

  /**
   * Starts to forward requests to the nodes that own their shards, and to accept forwarded ones.
   * `key` signs them. Throws `ListenError`.
   */
  static async meet(key: string, ports: OtherNodesPorts): Promise<OtherNodes> {
    const { service, api, clock, said, line, host, onRefused, close } = ports;
    const { gateway, entropy, self, health, following } = service;
    const nodes = new ClusterNodes(() => ownPresence(service), said, clock);
    const elsewhere = new Elsewhere({ line, nodes: said, known: nodes, clock });
    gateway.connect(elsewhere);
    said.onReply(self.id, ({ request, reply }) => gateway.onReply(request, reply));
    const signer = new HopSigner(key);
    const client = new HopClient({ signer, clock, entropy, onRefused });
    service.cluster = {
      nodes,
      forwarder: new Forwarder({ gateway, nodes, client, clock }),
      drain() {
        health.isDraining = true;
        nodes.onChange();
        following.drain();
        client.endStreams();
        host.drain();
      },
      hold: (name) => host.hold(name),
      resume: (name) => host.resume(name),
    };
    const nonces = new HopNonces(clock);
    const parts = new Api(service, partRoutes);
    const life = { node: self.id, startedAtMs: self.startedAtMs };
    const listening = { self: life, api, parts, signer, nonces };
    const listener = await listenToNodes(self.address, listening);
    nodes.open();
    return new OtherNodes(nodes, elsewhere, client, listener, close);
  }

  /** Reports the state of this node to the others at once. */
  announce(): void {
    this.nodes.onChange();
  }

  /** Ends streams that come from other nodes, and asks their clients to reconnect. */
  endStreams(): void {
    this.client.endStreams();
  }

  /** Refuses all forwarded requests and questions that have no answer yet. */
  giveUp(): void {
    this.client.giveUp();
    this.elsewhere.giveUp();
  }

  async leave(): Promise<void> {
    this.nodes.close();
    this.listener.close();
    this.client.close();
    await this.close();
  }
}
