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
import { limits } from "../../config/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { FromNode, NodeConnection, ToNode } from "../ports/tasks.ts";
import {
  brokerSubject,
  decodeFrame,
  decodeFromNode,
  encodeFrame,
  encodeMessage,
  type Frame,
  farmVersion,
  helloSubject,
  nodeSubject,
} from "./farm-frames.ts";
import { FrameLink } from "./frame-link.ts";
import { followNats, type NatsConnection } from "./nats.ts";

export interface FarmPorts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  /** Of the service, the same after it was started again. */
  readonly name: string;
  attach(node: NodeConnection): void;
  /** Something wrong came, perhaps often. */
  note(sentence: string): void;
}

interface Session extends NodeConnection {
  readonly id: string;
  readonly link: FrameLink;
  lastHeardMs: number;
  onFrame(frame: Extract<Frame, { kind: "piece" }>): void;
  /** Once; the broker is notified. */
  end(): void;
}

/** Ends the sessions, and leaves the connection open. */
export interface NatsFarm {
  close(): void;
}

export function openNatsFarm({ connection, clock, name, attach, note }: FarmPorts): NatsFarm {
  const self = randomBytes(12).toString("hex");
  const sessions = new Map<string, Session>();
  let isConnected = true;
  let isClosed = false;

  const publish = (node: string, frame: Parameters<typeof encodeFrame>[0]): void => {
    if (isConnected && !connection.isClosed())
      connection.publish(nodeSubject(node), encodeFrame(frame));
  };

  const hear = (fault: Error | null, bytes: Uint8Array): void => {
    if (fault !== null) {
      note(`the farm's subjects are not open: ${fault.message}`);
      return;
    }
    const frame = decodeFrame(bytes);
    const session = frame && sessions.get(frame.from);
    switch (frame?.kind) {
      case "hello":
        if (session === undefined) open(frame.from);
        else session.lastHeardMs = clock.monotonicMs();
        break;
      case "piece":
        if (session?.id === frame.session) session.onFrame(frame);
        break;
      case "bye":
        if (session?.id === frame.session) session.end();
        break;
      case "foreign":
        refuse(frame.from, frame.major);
        break;
      case "refused":
      case undefined:
        note("something that is no message of a farm node arrived");
    }
  };

  const refuse = (node: string, major: number): void => {
    const reason = `This farm node speaks version ${major} of the farm's messages and the service version ${farmVersion.major}; install here what the service has.`;
    note(reason);
    publish(node, { kind: "refused", from: self, reason });
  };

  const open = (node: string): void => {
    if (isClosed) return;
    if (sessions.size >= limits.farm.nodesMax) {
      note("there are too many farm nodes");
      return;
    }
    const session = openSession(node);
    sessions.set(node, session);
    attach(session);
    session.link.tick();
  };

  const openSession = (node: string): Session => {
    const id = randomBytes(12).toString("hex");
    const listeners: ((message: FromNode) => void)[] = [];
    const closing: (() => void)[] = [];
    const link = new FrameLink({
      publish: (piece) => publish(node, { kind: "piece", from: self, name, session: id, ...piece }),
      receive(bytes) {
        const message = decodeFromNode(bytes);
        if (message === undefined) note("a farm node sent a message that no service knows");
        else for (const listener of listeners) listener(message);
      },
      fail(reason) {
        note(`a farm node is given up: ${reason}`);
        session.end();
      },
    });
    const session: Session = {
      id,
      link,
      lastHeardMs: clock.monotonicMs(),
      onFrame(frame) {
        session.lastHeardMs = clock.monotonicMs();
        link.handle(frame);
      },
      end() {
        if (sessions.get(node) !== session) return;
        sessions.delete(node);
        publish(node, { kind: "bye", from: self, session: id });
        for (const listener of closing) listener();
      },
      send(message: ToNode) {
        // It has other services, and goes on for them.
        if (message.kind === "drain") session.end();
        else if (sessions.get(node) === session) link.send(encodeMessage(message));
      },
      onMessage: (listener) => void listeners.push(listener),
      onClose: (listener) => void closing.push(listener),
      isAudible: () => isConnected,
    };
    return session;
  };

  const watch = (): void => {
    if (isClosed) return;
    clock.after(limits.farm.heartbeatMs, watch);
    if (!isConnected) return;
    const oldestMs = clock.monotonicMs() - limits.farm.leaseMs;
    for (const session of sessions.values())
      if (session.lastHeardMs < oldestMs) session.end();
      else session.link.tick();
  };

  void followNats(connection, {
    lost() {
      isConnected = false;
    },
    back() {
      isConnected = true;
      for (const session of sessions.values()) {
        session.lastHeardMs = clock.monotonicMs();
        session.link.repeat();
      }
    },
    fault: note,
  });
  const subscriptions = [helloSubject, brokerSubject(self)].map((subject) =>
    connection.subscribe(subject, { callback: (fault, { data }) => hear(fault, data) }),
  );
  clock.after(limits.farm.heartbeatMs, watch);
  return {
    close() {
      isClosed = true;
      for (const session of sessions.values()) session.end();
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
