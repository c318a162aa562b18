/** Announcements of nodes about themselves, on a NATS subject. */
import { check, Type } from "../../../config/schema.ts";
import type { NodeReply, Nodes, Presence } from "../../ports/nodes.ts";
import type { NatsConnection } from "./nats.ts";
import { packVersioned, unpackVersioned } from "./versioned.ts";

const subject = "NODES";
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const text = Type.String({ minLength: 1, maxLength: 255 });

const isPresence = check<Presence>(
  Type.Object({
    version: text,
    node: Type.String({ minLength: 1, maxLength: 64 }),
    name: Type.Optional(text),
    address: text,
    status: Type.Union([Type.Literal("live"), Type.Literal("draining"), Type.Literal("gone")]),
    startedAtMs: count,
    atMs: count,
    warnings: Type.Array(Type.String({ minLength: 1, maxLength: 4_000 }), { maxItems: 1_000 }),
    shards: Type.Array(
      Type.Object({
        shard: Type.Integer({ minimum: 0, maximum: 128 }),
        role: Type.Union([Type.Literal("owner"), Type.Literal("standby")]),
      }),
      { maxItems: 129 },
    ),
    directorySeq: count,
    firstRequest: count,
  }),
);
const isReply = check<NodeReply>(Type.Object({ request: count, reply: Type.Unknown() }));

export function natsNodes(connection: NatsConnection): Nodes {
  return {
    announce(presence) {
      if (!connection.isClosed()) connection.publish(subject, packVersioned(presence));
    },
    onAnnounced(listener) {
      const subscription = connection.subscribe(subject, {
        callback(error, message) {
          const presence = error === null ? unpackVersioned(message.data) : undefined;
          if (isPresence(presence)) listener(presence);
        },
      });
      return () => subscription.unsubscribe();
    },
    reply(node, reply) {
      if (!connection.isClosed()) connection.publish(`REPLY.${node}`, packVersioned(reply));
    },
    onReply(node, listener) {
      const subscription = connection.subscribe(`REPLY.${node}`, {
        callback(error, message) {
          const reply = error === null ? unpackVersioned(message.data) : undefined;
          if (isReply(reply)) listener(reply);
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}
