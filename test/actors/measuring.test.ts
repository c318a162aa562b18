/** Tests a composition laid out by a farm node while a request waits: one answer, no state left. */
import t from "tap";
import { measuringActor } from "../../actors/measuring/measuring-actor.ts";
import type { Measured, Measuring, MeasuringMessage } from "../../actors/protocol/measuring.ts";
import { measuringKey } from "../../actors/protocol/measuring.ts";
import { limits } from "../../config/limits.ts";
import type { RequestId } from "../../engine/address.ts";
import { parseId } from "../../engine/id.ts";
import { invariant } from "../../engine/invariant.ts";

const id = parseId("01990000-0000-7000-8000-000000000001");
invariant(id !== undefined, "it is an id");
const scope = id;
const request = 7 as RequestId<Measured>;
const input = { manifestKey: "volatile/exports/x/manifest.json", assets: {}, drawsTexts: true };
const { measureMs } = limits.exports;
const waiting: Measuring = { scope, untilMs: 1_000 + measureMs, attempts: 0, request };
const leased: Measuring = { ...waiting, token: "one" };
const outcome = (objectKey: string) => ({
  kind: "succeeded" as const,
  outputs: [{ asset: id, media: { objectKey, mimeType: "", sizeBytes: 1, sha256: "" } }],
});

function decide(head: Measuring | undefined, message: MeasuringMessage, atMs = 1_000) {
  const ctx = { self: measuringKey(scope), atMs, request, get: () => undefined };
  return measuringActor.decide(head, message, ctx);
}

t.test("it is handed to the farm at once, with a time to end by", async (t) => {
  const task = { kind: "measure", input, outputPrefix: `volatile/exports/${id}` };
  const { head, effects, replies } = decide(undefined, {
    kind: "measure",
    id: scope,
    scope,
    input,
  });
  t.strictSame(
    [head, effects, replies],
    [waiting, [{ kind: "farm.run", owner: scope, scope, task }], []],
  );
  t.equal(measuringActor.dueAt(waiting), 1_000 + measureMs);
});

t.test("a claim is durable before the node may begin", async (t) => {
  const { head, effects } = decide(waiting, { kind: "claim", token: "one" });
  t.strictSame([head, effects], [leased, [{ kind: "farm.lease", token: "one" }]]);
});

t.test("its end answers the request, and nothing is left", async (t) => {
  const finished = { kind: "finished", token: "one", outcome: outcome("a.json") } as const;
  const { head, replies } = decide(leased, finished);
  const reply = { kind: "measured", objectKey: "a.json" };
  t.strictSame([head, replies], [undefined, [{ to: request, reply }]]);
});

t.test("another attempt's word counts for nothing", async (t) => {
  const late = { kind: "finished", token: "none", outcome: outcome("a.json") } as const;
  t.strictSame(decide(leased, late).head, leased);
  t.strictSame(decide(leased, { kind: "lapsed", token: "none" }).head, leased);
});

t.test("what lapses is tried again, and then it is too late", async (t) => {
  const again = decide(leased, { kind: "lapsed", token: "one" });
  t.strictSame(again.head, { ...waiting, attempts: 1 });
  const last = { ...leased, attempts: limits.farm.attemptsMax - 1 };
  const { head, effects, replies } = decide(last, { kind: "lapsed", token: "one" });
  t.strictSame(
    [head, effects, replies],
    [undefined, [{ kind: "farm.cancel" }], [{ to: request, reply: { kind: "late" } }]],
  );
});

t.test("its time ends it, and a claim that comes later is sent away", async (t) => {
  t.strictSame(decide(waiting, { kind: "due" }, 1_500).head, waiting);
  const { head, replies } = decide(waiting, { kind: "due" }, waiting.untilMs);
  t.strictSame([head, replies], [undefined, [{ to: request, reply: { kind: "late" } }]]);
  const { effects } = decide(undefined, { kind: "claim", token: "one" });
  t.strictSame(effects, [{ kind: "farm.cancel" }]);
});
