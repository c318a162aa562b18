/**
 * Which store the nodes of a cluster serve: the first node that begins one says so, in a stream
 * that takes one message; all others find it there. Servers that have lost it are told again by the
 * first node that has the store.
 */
import { setTimeout as pause } from "node:timers/promises";
import { check, Type } from "../../../config/schema.ts";
import type { Log } from "../../ports/log.ts";
import { PortError } from "../../ports/port-error.ts";
import { formatVersion } from "../data-directory.ts";
import { pack, unpack } from "../message-pack.ts";
import { openStream } from "./jetstream-log.ts";
import type { NatsConnection } from "./nats.ts";

export interface ClusterStore {
  readonly storeId: string;
  readonly shardCount: number;
}

/** `format` is of the data directories: rows of another one mean something else. */
const isStore = check<ClusterStore & { readonly format: number }>(
  Type.Object({
    format: Type.Literal(formatVersion),
    storeId: Type.String({ minLength: 1, maxLength: 64 }),
    shardCount: Type.Integer({ minimum: 1, maximum: 128 }),
  }),
);

const publishAttempts = 15;
const publishAgainMs = 500;

/** Waits for servers that have just made the stream, and choose its leader yet. */
async function publishFirst(stream: Log, message: Uint8Array, id: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await stream.publish(message, id, 0);
    } catch (error) {
      if (attempt === publishAttempts || !(error instanceof PortError && error.retryable))
        throw error;
      await pause(publishAgainMs);
    }
  }
}

/** The store of the cluster: `proposed` if there was none. Throws `PortError` with one sentence. */
export async function agreeOnStore(
  connection: NatsConnection,
  proposed: ClusterStore,
): Promise<ClusterStore> {
  const stream = await openStream(connection, { stream: "STORE", subject: "STORE" });
  const message = pack({ format: formatVersion, ...proposed });
  if (await publishFirst(stream, message, proposed.storeId)) return proposed;
  const first = await stream.at(1);
  const store = first && unpack(first.record);
  if (isStore(store)) return { storeId: store.storeId, shardCount: store.shardCount };
  throw new PortError(
    "The cluster's store was begun by another version of Klieg; install that version here.",
    false,
  );
}
