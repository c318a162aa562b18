/** Questions to the owners of shards, on subjects of NATS that only they answer. */
import type { LineAnswer, ShardLine } from "../../ports/shard-line.ts";
import { pack, unpack } from "../message-pack.ts";
import { isUnanswered, type NatsConnection } from "./nats.ts";
import { clusterVersion } from "./nats-peers.ts";

interface Said {
  readonly wire: number;
  readonly body: object;
}

/** `subject` tells apart what is asked: `ASK` of actors, `TELL` what other shards tell. */
export function natsShardLine(connection: NatsConnection, subject: "ASK" | "TELL"): ShardLine {
  return {
    async ask(shard, question, timeout): Promise<LineAnswer> {
      try {
        const { data } = await connection.request(`${subject}.${shard}`, packed(question), {
          timeout,
        });
        const said = unpack(data);
        if (isSaid(said)) return { kind: "answer", answer: said.body };
        return { kind: "unowned" };
      } catch (error) {
        return { kind: isUnanswered(error) ? "unowned" : "silent" };
      }
    },
    answer(shard, answerer) {
      const subscription = connection.subscribe(`${subject}.${shard}`, {
        callback(error, message) {
          const said = error === null ? unpack(message.data) : undefined;
          if (!isSaid(said)) return;
          answerer(said.body).then(
            (answer) => message.respond(packed(answer)),
            // Silence: the outcome is unknown.
            () => {},
          );
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

function packed(body: object): Uint8Array {
  return pack({ wire: clusterVersion.major, body } satisfies Said);
}

/** What a node of another version says is not understood. */
function isSaid(said: unknown): said is Said {
  if (typeof said !== "object" || said === null) return false;
  const { wire, body } = said as Partial<Said>;
  return wire === clusterVersion.major && typeof body === "object" && body !== null;
}
