/** Requests for a shard's snapshots, on a NATS subject to which only its owner subscribes. */
import { check, Type } from "../../../config/schema.ts";
import { PortError } from "../../ports/port-error.ts";
import type { Snapshot, Snapshots } from "../../ports/snapshots.ts";
import { formatVersion } from "../data-directory.ts";
import type { NatsConnection } from "./nats.ts";
import { packVersioned, unpackVersioned } from "./versioned.ts";

const requestMs = 2_000;

interface Answer {
  /** Format version of the data directory: the meaning of its rows depends on it. */
  readonly format: number;
  readonly snapshot?: Snapshot;
}

const isAnswer = check<Answer>(
  Type.Object({
    format: Type.Literal(formatVersion),
    snapshot: Type.Optional(
      Type.Object({
        store: Type.String({ minLength: 1, maxLength: 64 }),
        epoch: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        seq: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        nonce: Type.String({ minLength: 1, maxLength: 64 }),
        objectKey: Type.String({ minLength: 1, maxLength: 256 }),
        sizeBytes: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
      }),
    ),
  }),
);

export function natsSnapshots(connection: NatsConnection, shard: string): Snapshots {
  const subject = `SNAPSHOT.${shard}`;
  return {
    async request() {
      const bytes = await connection.request(subject, undefined, { timeout: requestMs }).then(
        ({ data }) => data,
        // No owner answers, or the servers are unreachable: the caller will ask again.
        () => undefined,
      );
      if (bytes === undefined) return undefined;
      const answer = unpackVersioned(bytes);
      if (isAnswer(answer)) return answer.snapshot;
      throw new PortError(
        "the offered snapshot comes from another version of Klieg; install that version here",
        false,
      );
    },
    answer(offer) {
      const subscription = connection.subscribe(subject, {
        callback(error, message) {
          if (error !== null) return;
          const snapshot = offer();
          const answer: Answer = { format: formatVersion };
          message.respond(packVersioned(snapshot === undefined ? answer : { ...answer, snapshot }));
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}
