/**
 * A service's side of the farm over NATS: finds nodes by what they announce, and keeps a session
 * with each, which is the broker's connection to that node.
 *
 *   unknown --hello--> session --bye, silence, a broken link, drain--> unknown
 *
 * 1. Silence counts only while this side is connected itself; after that a node has a full term.
 * 2. Whatever arrives that is no frame of a session is dropped, with a note.
 */
import { randomBytes } from "node:crypto";
import { limits } from "../../../config/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FromNode, NodeConnection, ToNode } from "../../ports/tasks.ts";
import { wireVersion } from "../../ports/wire-version.ts";
import { followNats, type NatsConnection } from "../nats/nats.ts";
import {
  brokerSubject,
  decodeFrame,
  decodeFromNode,
  encodeFrame,
  encodeMessage,
  helloSubject,
  nodeSubject,
  type OwnFrame,
} from "./farm-frames.ts";
import { FrameLink, type Piece } from "./frame-link.ts";

export interface FarmPorts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  /** Name of the service, which stays the same after a restart. */
  readonly name: string;
  attach(node: NodeConnection): void;
  /** Reports an invalid message; possibly called often. */
  note(sentence: string): void;
}

export class NatsFarm {
  private readonly ports: FarmPorts;
  private readonly self = randomBytes(12).toString("hex");
  private readonly sessions = new Map<string, Session>();
  private readonly subscriptions: readonly { unsubscribe(): void }[];
  private isConnected = true;
  private isClosed = false;

  constructor(ports: FarmPorts) {
    this.ports = ports;
    const { connection, clock, note } = ports;
    void followNats(connection, {
      onLoss: () => {
        this.isConnected = false;
      },
      back: () => this.goOn(),
      fault: note,
    });
    this.subscriptions = [helloSubject, brokerSubject(this.self)].map((subject) =>
      connection.subscribe(subject, { callback: (fault, { data }) => this.receive(fault, data) }),
    );
    clock.after(limits.farm.heartbeatMs, () => this.watch());
  }

  /** Ends the sessions, but leaves the connection open. */
  close(): void {
    this.isClosed = true;
    for (const session of this.sessions.values()) session.end();
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  private receive(fault: Error | null, bytes: Uint8Array): void {
    const { note } = this.ports;
    if (fault !== null) {
      note(`subscription to the farm's subjects failed: ${fault.message}`);
      return;
    }
    const frame = decodeFrame(bytes);
    const session = frame && this.sessions.get(frame.from);
    switch (frame?.kind) {
      case "hello":
        if (session === undefined) this.open(frame.from);
        else session.isThere();
        break;
      case "piece":
        if (session?.id === frame.session) session.handle(frame);
        break;
      case "bye":
        if (session?.id === frame.session) session.end();
        break;
      case "foreign":
        this.refuse(frame.from, frame.major);
        break;
      case "refused":
      case undefined:
        note("malformed message from a farm node ignored");
    }
  }

  private refuse(node: string, major: number): void {
    const reason =
      `This farm node speaks version ${major} of the farm's messages and the service version ` +
      `${wireVersion.major}; install the service's version here.`;
    this.ports.note(reason);
    this.publish(node, { kind: "refused", from: this.self, reason });
  }

  private open(node: string): void {
    if (this.isClosed) return;
    const { clock, name, note, attach } = this.ports;
    if (this.sessions.size >= limits.farm.nodesMax) {
      note("farm node refused: too many farm nodes");
      return;
    }
    const session: Session = new Session({
      clock,
      name,
      note,
      self: this.self,
      publish: (frame) => this.publish(node, frame),
      isConnected: () => this.isConnected,
      onEnd: () => this.sessions.delete(node),
    });
    this.sessions.set(node, session);
    attach(session);
    session.tick();
  }

  private publish(node: string, frame: OwnFrame): void {
    const { connection } = this.ports;
    if (this.isConnected && !connection.isClosed())
      connection.publish(nodeSubject(node), encodeFrame(frame));
  }

  private goOn(): void {
    this.isConnected = true;
    for (const session of this.sessions.values()) {
      session.isThere();
      session.repeat();
    }
  }

  private watch(): void {
    if (this.isClosed) return;
    this.ports.clock.after(limits.farm.heartbeatMs, () => this.watch());
    if (!this.isConnected) return;
    const oldestMs = this.ports.clock.monotonicMs() - limits.farm.leaseMs;
    for (const session of this.sessions.values())
      if (session.lastSeenMs < oldestMs) session.end();
      else session.tick();
  }
}

interface SessionPorts extends Pick<FarmPorts, "clock" | "name" | "note"> {
  /** Id of the service's process. */
  readonly self: string;
  publish(frame: OwnFrame): void;
  isConnected(): boolean;
  onEnd(): void;
}

/** The session with one node, from its hello until one side ends it. */
class Session implements NodeConnection {
  readonly id = randomBytes(12).toString("hex");
  lastSeenMs: number;
  private readonly ports: SessionPorts;
  private readonly link: FrameLink;
  private readonly listeners: ((message: FromNode) => void)[] = [];
  private readonly closing: (() => void)[] = [];
  private hasEnded = false;

  constructor(ports: SessionPorts) {
    this.ports = ports;
    this.lastSeenMs = ports.clock.monotonicMs();
    const { self: from, name, note } = ports;
    this.link = new FrameLink({
      publish: (piece) => ports.publish({ kind: "piece", from, name, session: this.id, ...piece }),
      receive: (bytes) => this.receive(bytes),
      fail: (reason) => {
        note(`connection to a farm node dropped: ${reason}`);
        this.end();
      },
    });
  }

  isThere(): void {
    this.lastSeenMs = this.ports.clock.monotonicMs();
  }

  handle(piece: Piece): void {
    this.isThere();
    this.link.handle(piece);
  }

  tick(): void {
    this.link.tick();
  }

  repeat(): void {
    this.link.repeat();
  }

  /** Ends the session, at most once, and notifies the broker. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.ports.onEnd();
    this.ports.publish({ kind: "bye", from: this.ports.self, session: this.id });
    for (const listener of this.closing) listener();
  }

  send(message: ToNode): void {
    // The node is not drained: it goes on working for other services.
    if (message.kind === "drain") this.end();
    else if (!this.hasEnded) this.link.send(encodeMessage(message));
  }

  onMessage(listener: (message: FromNode) => void): void {
    this.listeners.push(listener);
  }

  onClose(listener: () => void): void {
    this.closing.push(listener);
  }

  isAudible(): boolean {
    return this.ports.isConnected();
  }

  private receive(bytes: Uint8Array): void {
    const message = decodeFromNode(bytes);
    if (message === undefined) this.ports.note("unknown message from a farm node ignored");
    else for (const listener of this.listeners) listener(message);
  }
}
