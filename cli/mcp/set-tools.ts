/** Tools for sets of pictures: one request, with a job for each member. */
import { strict, Uuid } from "../../contract/common.ts";
import { GenerateSetRequest } from "../../contract/generation.ts";
import { idempotencyKey, toldAfterwards } from "./generation-tools.ts";
import { type Tool, tool } from "./tool.ts";
import { forSeconds, timeoutSeconds, waitSecondsUsual } from "./waiting.ts";

const set = { set_id: Uuid };

export const setTools: readonly Tool[] = [
  tool({
    name: "generate_set",
    title: "Make a set of pictures",
    description:
      "Makes pictures that belong together: base says what they share, each member its words or " +
      "what it changes. Returns the set at once; follow it with wait_for_set. When a member is " +
      "refused, those before it are made, and problems names the others with the reason. " +
      toldAfterwards,
    takes: strict({ ...GenerateSetRequest.properties, idempotency_key: idempotencyKey }),
    run: ({ idempotency_key: key, ...request }, { klieg, signal }) =>
      klieg.generate.set(request, { signal, idempotencyKey: key }),
  }),
  tool({
    name: "wait_for_set",
    title: "Wait for a set",
    description:
      "Waits until every member of a set has ended and returns the set with its assets. If the " +
      "time runs out first, it returns the set as it is: call this again.",
    isReadOnly: true,
    takes: strict({ ...set, timeout_seconds: timeoutSeconds }),
    async run({ set_id: id, timeout_seconds: seconds = waitSecondsUsual }, { klieg, signal }) {
      await forSeconds(seconds, signal, (ended) => klieg.sets.wait(id, { signal: ended }));
      return klieg.sets.get(id, { signal });
    },
  }),
  tool({
    name: "cancel_set",
    title: "Cancel a set",
    description: "Cancels the members of a set that have not ended.",
    takes: strict(set),
    run: ({ set_id: id }, { klieg, signal }) => klieg.sets.cancel(id, { signal }),
  }),
];
