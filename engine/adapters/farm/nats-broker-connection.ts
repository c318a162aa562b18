/**
 * A farm node's side of the farm over NATS: one broker for the task loop, made of all services that
 * opened a session with this node. A token belongs to the service that leased it; each service is
 * told of the room that the others leave.
 *
 * 1. A service that ends its session, that is followed by another process of its name, or that is
 *    silent for long while NATS answers, has its tasks canceled here: it leases them anew.
 * 2. While NATS is away work goes on, and results wait for it.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../../config/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { BrokerConnection, FromNode, ToNode } from "../../ports/tasks.ts";
import { closeNats, followNats, type NatsConnection } from "../nats/nats.ts";
import {
  brokerSubject,
  decodeFrame,
  decodeToNode,
  encodeFrame,
  encodeMessage,
  type Frame,
  helloSubject,
  nodeSubject,
  type OwnFrame,
} from "./farm-frames.ts";
import { FrameLink } from "./frame-link.ts";

export interface NodePorts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  /** NATS user of the connection. */
  readonly user: string;
  /** Name of the node as shown in a service's log. */
  readonly name: string;
  /** Called when the services refuse to serve this node. */
  onRefused(sentence: string): void;
  /** Reports an invalid message; possibly called often. */
  note(sentence: string): void;
}

/** A service with which this node has a session. */
interface Service {
  readonly id: string;
  readonly name: string;
  readonly session: string;
  readonly link: FrameLink;
  lastSeenMs: number;
  /** Number of slots that the service was last informed of. */
  told: number;
}

export class NatsBrokerConnection implements BrokerConnection {
  private readonly ports: NodePorts;
  private readonly self: string;
  private readonly services = new Map<string, Service>();
  private readonly servicesByToken = new Map<string, Service>();
  private readonly listeners: ((message: ToNode) => void)[] = [];
  private hello: Extract<FromNode, { kind: "hello" }> | undefined;
  private room = 0;
  private isConnected = true;
  private isClosing = false;

  constructor(ports: NodePorts) {
    this.ports = ports;
    const { connection, user } = ports;
    this.self = `${user}.${randomBytes(12).toString("hex")}`;
    connection.subscribe(nodeSubject(this.self), {
      callback: (fault, { data }) => this.receiveFrame(fault, data),
    });
    void followNats(connection, {
      onLoss: () => {
        this.isConnected = false;
      },
      back: () => this.goOn(),
      fault: ports.note,
    });
    this.every(limits.farm.helloMs, () => this.greet());
    this.every(limits.farm.heartbeatMs, () => this.watch());
  }

  send(message: FromNode): void {
    switch (message.kind) {
      case "hello":
        this.hello = message;
        this.room = message.slots;
        this.greet();
        break;
      case "capacity":
        this.room = message.slots;
        this.tellRoom();
        break;
      case "take":
      case "made":
        this.sendFor(message.member.split("/", 1)[0] ?? "", message);
        break;
      case "heartbeat":
        // A lost heartbeat does no harm, because the next one replaces it.
        if (this.isConnected) this.sendFor(message.token, message);
        break;
      case "ask":
      case "split":
        this.sendFor(message.token, message);
        break;
      case "finished":
      case "returned":
        this.sendFor(message.token, message);
        this.servicesByToken.delete(message.token);
        this.tellRoom();
    }
  }

  onMessage(listener: (message: ToNode) => void): void {
    this.listeners.push(listener);
  }

  /** Never called: services come and go, but the node stays. */
  onClose(): void {}

  /** Closes when everything sent has arrived, or at the latest after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    this.isClosing = true;
    const { clock, connection } = this.ports;
    const lastMs = clock.monotonicMs() + patienceMs;
    const hasArrived = () => [...this.services.values()].every(({ link }) => link.hasArrived);
    while (!hasArrived() && clock.monotonicMs() < lastMs)
      await new Promise<void>((resolve) => void clock.after(closingStepMs, resolve));
    for (const { id, session } of this.services.values())
      this.publish(brokerSubject(id), { kind: "bye", from: this.self, session });
    this.services.clear();
    await closeNats(connection, patienceMs);
  }

  private every(intervalMs: number, tick: () => void): void {
    this.ports.clock.after(intervalMs, () => {
      if (this.ports.connection.isClosed()) return;
      tick();
      this.every(intervalMs, tick);
    });
  }

  private greet(): void {
    if (this.hello !== undefined && !this.isClosing)
      this.publish(helloSubject, { kind: "hello", from: this.self });
  }

  private publish(subject: string, frame: OwnFrame): void {
    const { connection } = this.ports;
    if (this.isConnected && !connection.isClosed()) connection.publish(subject, encodeFrame(frame));
  }

  private receiveFrame(fault: Error | null, bytes: Uint8Array): void {
    const { note, onRefused } = this.ports;
    if (fault !== null) {
      note(`subscription to this node's subject failed: ${fault.message}`);
      return;
    }
    const frame = decodeFrame(bytes);
    const service = frame && this.services.get(frame.from);
    switch (frame?.kind) {
      case "piece":
        this.receivePiece(frame);
        break;
      case "bye":
        if (service?.session === frame.session) this.leave(service);
        break;
      case "refused":
        if (this.services.size === 0) onRefused(frame.reason);
        else note(frame.reason);
        break;
      case "foreign":
        note(`service uses unsupported farm protocol version ${frame.major}`);
        break;
      case "hello":
      case undefined:
        note("malformed message from a service ignored");
    }
  }

  private receivePiece(frame: Extract<Frame, { kind: "piece" }>): void {
    let service = this.services.get(frame.from);
    if (service !== undefined && service.session !== frame.session) {
      this.leave(service);
      service = undefined;
    }
    service ??= this.join(frame);
    if (service === undefined) return;
    service.lastSeenMs = this.ports.clock.monotonicMs();
    service.link.handle(frame);
  }

  /** Only the first piece of a session may open it, because earlier pieces are not known here. */
  private join({
    from: id,
    name,
    session,
    seq,
    ack,
  }: Extract<Frame, { kind: "piece" }>): Service | undefined {
    const { hello } = this;
    if (hello === undefined || this.isClosing || seq > 1 || ack > 0) return undefined;
    for (const other of this.services.values()) if (other.name === name) this.leave(other);
    const link = new FrameLink({
      publish: (piece) => {
        const named = { from: this.self, name: this.ports.name, session };
        this.publish(brokerSubject(id), { kind: "piece", ...named, ...piece });
      },
      receive: (bytes) => this.receive(service, bytes),
      fail: (reason) => {
        this.ports.note(`connection to a service dropped: ${reason}`);
        this.leave(service);
      },
    });
    const lastSeenMs = this.ports.clock.monotonicMs();
    const service: Service = { id, name, session, link, lastSeenMs, told: hello.slots };
    this.services.set(id, service);
    link.send(encodeMessage(hello));
    this.tellRoom();
    return service;
  }

  private leave(service: Service): void {
    if (this.services.get(service.id) !== service) return;
    this.services.delete(service.id);
    this.publish(brokerSubject(service.id), {
      kind: "bye",
      from: this.self,
      session: service.session,
    });
    for (const [token, owner] of this.servicesByToken)
      if (owner === service) {
        this.servicesByToken.delete(token);
        this.tell({ kind: "cancel", token });
      }
    this.tellRoom();
  }

  private receive(service: Service, bytes: Uint8Array): void {
    const message = decodeToNode(bytes);
    if (message === undefined) {
      this.ports.note("unknown message from a service ignored");
      return;
    }
    if (message.kind === "lease") {
      const { token } = message.task;
      if (this.servicesByToken.has(token)) return;
      this.servicesByToken.set(token, service);
      this.tellRoom();
    }
    this.tell(message);
  }

  private tell(message: ToNode): void {
    for (const listener of this.listeners) listener(message);
  }

  private sendFor(token: string, message: FromNode): void {
    this.servicesByToken.get(token)?.link.send(encodeMessage(message));
  }

  /** Informs each service of the slots; it subtracts its own leases itself. */
  private tellRoom(): void {
    const leased = [...this.servicesByToken.values()];
    for (const service of this.services.values()) {
      const others = leased.filter((owner) => owner !== service).length;
      const slots = Math.max(0, this.room - others);
      if (slots === service.told) continue;
      service.told = slots;
      service.link.send(encodeMessage({ kind: "capacity", slots }));
    }
  }

  private goOn(): void {
    this.isConnected = true;
    const nowMs = this.ports.clock.monotonicMs();
    for (const service of this.services.values()) {
      service.lastSeenMs = nowMs;
      service.link.repeat();
    }
    this.greet();
  }

  private watch(): void {
    if (!this.isConnected) return;
    const oldestMs = this.ports.clock.monotonicMs() - limits.farm.brokerSilenceMs;
    for (const service of this.services.values())
      if (service.lastSeenMs < oldestMs) this.leave(service);
      else service.link.tick();
  }
}

const closingStepMs = 20;
