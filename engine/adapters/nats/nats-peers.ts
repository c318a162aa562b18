/**
 * What nodes say of a shard, on a subject of NATS; what is said while a node is away is lost to it.
 */
import { check, Type } from "../../../config/schema.ts";
import type { Announcement, Peers } from "../../ports/peers.ts";
import { pack, unpack } from "../message-pack.ts";
import type { NatsConnection } from "./nats.ts";

/** Nodes of another major version are not understood; another minor one differs by additions. */
export const clusterVersion = { major: 1, minor: 0 } as const;

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const id = Type.String({ minLength: 1, maxLength: 64 });
const isAnnouncement = check<Announcement & { readonly version: readonly [number, number] }>(
  Type.Object({
    version: Type.Tuple([Type.Literal(clusterVersion.major), count]),
    node: id,
    state: Type.Union([
      Type.Literal("following"),
      Type.Literal("draining"),
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
      if (connection.isClosed()) return;
      const { major, minor } = clusterVersion;
      connection.publish(subject, pack({ version: [major, minor], ...announcement }));
    },
    onAnnounced(listener) {
      const subscription = connection.subscribe(subject, {
        callback(error, message) {
          const announcement = error === null ? unpack(message.data) : undefined;
          if (isAnnouncement(announcement)) listener(announcement);
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}
