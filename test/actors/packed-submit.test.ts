import t from "tap";
import { buildCreation } from "../../actors/job/creation.ts";
import { packSubmit, unpackSubmit } from "../../actors/protocol/packed-submit.ts";
import type { Submit } from "../../actors/protocol/submit-terms.ts";
import { create, jobRequest, submitted } from "./accounts.ts";

const session = "01990000-0000-7021-8000-00000000a001";
const turn = "01990000-0000-7021-8000-00000000a002";
const user = "01990000-0000-7021-8000-00000000a003";

const rich: Submit = {
  ...submitted,
  confirmation: { kind: "valid", digest: "0123456789abcdef", expiresAtMs: 5 },
  overrides: { concurrentMax: 3 },
  rateRetryAfterSeconds: 7,
  job: buildCreation(
    {
      ...jobRequest,
      user,
      turn: { session, turn },
      tags: ["sea"],
      trace: "a-b",
      bodyDigest: "ff00",
    },
    { ...create, provider: "farm" },
  ),
};

t.test("a submit that was packed for its shard is what it was", async (t) => {
  for (const submit of [submitted, rich])
    t.strictSame(unpackSubmit(structuredClone(packSubmit(submit))), {
      overrides: undefined,
      ...submit,
    });
});
