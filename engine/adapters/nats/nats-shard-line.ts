/** Questions to the owners of shards, on NATS subjects to which only the owners subscribe. */
import { check, Type } from "../../../config/schema.ts";
import type { LineAnswer, ShardLine } from "../../ports/shard-line.ts";
import { isUnanswered, type NatsConnection } from "./nats.ts";
import { packVersioned, unpackVersioned } from "./versioned.ts";

const isSaid = check<{ readonly body: object }>(Type.Object({ body: Type.Object({}) }));

/** `subject` is the kind of message: `ASK` for questions to actors, `TELL` for shards' tells. */
export function natsShardLine(connection: NatsConnection, subject: "ASK" | "TELL"): ShardLine {
  return {
    async ask(shard, question, timeout): Promise<LineAnswer> {
      try {
        const message = packVersioned({ body: question });
        const { data } = await connection.request(`${subject}.${shard}`, message, { timeout });
        const said = unpackVersioned(data);
        if (isSaid(said)) return { kind: "answer", answer: said.body };
        return { kind: "unowned" };
      } catch (error) {
        return { kind: isUnanswered(error) ? "unowned" : "silent" };
      }
    },
    answer(shard, answerer) {
      const subscription = connection.subscribe(`${subject}.${shard}`, {
        callback(error, message) {
          const said = error === null ? unpackVersioned(message.data) : undefined;
          if (!isSaid(said)) return;
          answerer(said.body).then(
            (answer) => message.respond(packVersioned({ body: answer })),
            // Without an answer the outcome is unknown.
            () => {},
          );
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}
