/** Announcements of nodes about a shard, on a NATS subject; a node that is away misses them. */
import { check, Type } from "../../../config/schema.ts";
import type { Announcement, Peers } from "../../ports/peers.ts";
import type { NatsConnection } from "./nats.ts";
import { packVersioned, unpackVersioned } from "./versioned.ts";

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const id = Type.String({ minLength: 1, maxLength: 64 });
const isAnnouncement = check<Announcement>(
  Type.Object({
    node: id,
    state: Type.Union([
      Type.Literal("following"),
      Type.Literal("draining"),
      Type.Literal("joining"),
      Type.Literal("owning"),
    ]),
    epoch: count,
    seq: count,
    owner: Type.Optional(id),
    nonce: Type.Optional(id),
  }),
);

export function natsPeers(connection: NatsConnection, shard: string): Peers {
  const subject = `SHARD.${shard}`;
  return {
    announce(announcement) {
      if (!connection.isClosed()) connection.publish(subject, packVersioned(announcement));
    },
    onAnnounced(listener) {
      const subscription = connection.subscribe(subject, {
        callback(error, message) {
          const announcement = error === null ? unpackVersioned(message.data) : undefined;
          if (isAnnouncement(announcement)) listener(announcement);
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}
