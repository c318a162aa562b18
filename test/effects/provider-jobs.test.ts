/** Tests jobs at a provider whose answers the test scripts. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import t from "tap";
import {
  type LookUp,
  type ProviderStatus,
  ReplyError,
  type SubmitOutcome,
} from "../../providers/provider.ts";
import { jobSelf } from "../actors/accounts.ts";
import { accepted, formatTimes, queued, running, stage, unreachable } from "./provider-stage.ts";

t.test("a job is read every 5 s without a callback and every 20 s with one", async (t) => {
  for (const [callback, times] of [
    ["none", [5_000, 10_000, 15_000, 20_000]],
    ["signed", [20_000]],
    ["token_only", [20_000]],
  ] as const) {
    const { submit, pass, calls } = stage({ traits: { callback } });
    await submit();
    await pass(22_000);
    t.strictSame(formatTimes(calls, "status"), times);
  }
});

t.test("reads have 10 percent jitter", async (t) => {
  for (const [callback, times] of [
    ["none", [4_500, 9_000]],
    ["signed", [22_000]],
  ] as const) {
    const { submit, pass, calls } = stage({ draw: 255, traits: { callback } });
    await submit();
    await pass(callback === "none" ? 10_000 : 40_000);
    t.strictSame(formatTimes(calls, "status"), times);
  }
});

t.test("a callback that overtakes the answer to its submit has the job read soon", async (t) => {
  for (const submits of [accepted, { kind: "unknown" } as const]) {
    const answers: string[] = [];
    const house = stage({
      traits: { callback: "signed" },
      submits: [submits],
      async before(call) {
        if (call === "submit") answers.push(await house.callBack("right"));
      },
    });
    await house.submit();
    await house.pass(500);
    t.strictSame(answers, ["accepted"]);
    t.match(house.sent.at(-1), { kind: "started" }, "also when the answer never came");
    t.strictSame(formatTimes(house.calls, "status").length, 1);
  }
});

t.test("a verified callback triggers one immediate status read", async (t) => {
  const { submit, pass, callBack, calls, sent } = stage({ traits: { callback: "signed" } });
  await submit();
  await pass(1_000);
  t.equal(await callBack("wrong"), "forged");
  await pass(1);
  t.strictSame(formatTimes(calls, "status"), []);
  t.equal(await callBack("right"), "accepted");
  await pass(20);
  t.strictSame(formatTimes(calls, "status"), [1_021]);
  t.strictSame(
    sent.slice(1),
    [{ kind: "accepted", ref: "ref" }, { kind: "called_back" }, { kind: "started" }],
    "its body is never the result",
  );
});

t.test("failed reads back off to 60 s and set provider_down", async (t) => {
  const fails = new Array<Error>(6).fill(unreachable);
  const { submit, pass, calls, sent, faults } = stage({ statuses: [...fails, running] });
  await submit();
  await pass(200_000);
  const times = [5_000, 10_000, 20_000, 40_000, 80_000, 140_000, 200_000];
  t.strictSame(formatTimes(calls, "status"), times);
  t.strictSame(faults, fails);
  t.strictSame(sent.slice(1), [
    { kind: "accepted", ref: "ref" },
    { kind: "detail", detail: "provider_down" },
    { kind: "detail", detail: null },
    { kind: "started" },
  ]);
});

t.test("lost twice in a row 10 s apart ends the job failed, not billed", async (t) => {
  const lost: ProviderStatus = { state: "lost" };
  const { submit, pass, calls, sent } = stage({ statuses: [lost, running, lost] });
  await submit();
  await pass(40_000);
  t.strictSame(formatTimes(calls, "status"), [5_000, 15_000, 20_000, 30_000]);
  t.match(sent.at(-1), { kind: "finished", outcome: { class: "upstream", billed: false } });
});

t.test("progress of the provider goes to the job", async (t) => {
  const { submit, pass, sent } = stage({ statuses: [{ state: "running", progress: 0.25 }] });
  await submit();
  await pass(5_000);
  t.strictSame(sent.slice(2), [{ kind: "started" }, { kind: "progress", progress: 0.25 }]);
});

t.test("a busy provider says itself when to try again", async (t) => {
  const busy = (retryAfterMs: number): SubmitOutcome => ({ kind: "busy", retryAfterMs });
  const { submit, pass, calls } = stage({ submits: [busy(3_000), busy(90_000), accepted] });
  await submit();
  await pass(93_000);
  t.strictSame(formatTimes(calls, "submit"), [0, 3_000, 93_000]);
});

t.test("an unknown submit is sent again only with idempotent_submit", async (t) => {
  for (const [idempotentSubmit, times, last] of [
    [false, [0], { kind: "unanswered" }],
    [true, [0, 1_000], { kind: "accepted", ref: "ref" }],
  ] as const)
    for (const first of [{ kind: "unknown" }, unreachable] as const) {
      const script = { traits: { idempotentSubmit }, submits: [first, accepted] };
      const { submit, pass, calls, sent } = stage(script);
      await submit();
      await pass(4_000);
      t.strictSame(formatTimes(calls, "submit"), times);
      t.strictSame(sent, [{ kind: "submitting", number: 1, hasLookUp: false }, last]);
    }
});

t.test("a job that the provider cancels by itself has failed", async (t) => {
  const { submit, pass, sent } = stage({ statuses: [{ state: "canceled", billed: true }] });
  await submit();
  await pass(5_000);
  t.match(sent.at(-1), { kind: "finished", outcome: { class: "upstream", billed: true } });
});

for (const [cancel, status, kind] of [
  ["none", queued, "unsupported"],
  ["queued_only", queued, "cancelled"],
  ["queued_only", running, "unsupported"],
  ["any", running, "cancelled"],
] as const)
  t.test(`a cancel where ${cancel} can be stopped: ${status.state} is ${kind}`, async (t) => {
    const { submit, pass, answer, calls } = stage({ traits: { cancel }, statuses: [status] });
    await submit();
    await pass(5_000);
    t.strictSame(await answer(), { kind: "cancel_answer", answer: { kind } });
    t.equal(formatTimes(calls, "cancel").length, kind === "unsupported" ? 0 : 1);
  });

t.test("a cancel that does not reach the provider has failed, and the job goes on", async (t) => {
  const { submit, pass, answer, faults, calls } = stage({ cancel: unreachable });
  await submit();
  t.strictSame(await answer(), { kind: "cancel_answer", answer: { kind: "failed" } });
  t.strictSame(faults, [unreachable]);
  await pass(5_000);
  t.equal(formatTimes(calls, "status").length, 1);
});

t.test("a job whose provider is not configured any more fails", async (t) => {
  const { submit, sent } = stage({});
  t.strictSame(await submit("elsewhere"), { kind: "concluded" });
  t.match(sent, [{ kind: "finished", outcome: { class: "upstream", billed: false } }]);
});

t.test("nothing is sent before the mark that it may have been sent is durable (I8)", async (t) => {
  const { submit, pass, calls, sent, jobs } = stage({ isDurable: false });
  await submit();
  await pass(5_000);
  t.strictSame(sent, [{ kind: "submitting", number: 1, hasLookUp: false }]);
  t.strictSame(calls, []);
  await jobs.send(jobSelf, { kind: "provider.send", number: 1 });
  t.strictSame(formatTimes(calls, "submit"), [5_000]);
  await pass(30_000);
  t.strictSame(formatTimes(calls, "status"), [], "its name is not durable yet");
  jobs.follow(jobSelf);
  await turnOfTheLoop();
  await pass(5_000);
  t.strictSame(formatTimes(calls, "status"), [40_000]);
});

t.test("a job that has left to another service is neither submitted nor read here", async (t) => {
  for (const isDurable of [true, false]) {
    const { submit, pass, calls, sent, jobs } = stage({ isDurable });
    await submit();
    jobs.giveUp((key) => key !== jobSelf);
    await pass(5_000);
    t.strictSame(formatTimes(calls, "status"), isDurable ? [5_000] : [], "another's goes on");
    jobs.giveUp((key) => key === jobSelf);
    const before = [sent.length, calls.length];
    await jobs.send(jobSelf, { kind: "provider.send", number: 1 });
    await pass(60_000);
    t.strictSame([sent.length, calls.length], before);
  }
});

t.test("what was accepted before a restart is read, and never submitted again", async (t) => {
  const { resume, pass, calls } = stage({});
  await resume({ submits: 1, ref: "ref" });
  await pass(5_000);
  t.strictSame(formatTimes(calls, "status"), [0, 5_000]);
  t.strictSame(formatTimes(calls, "submit"), []);
});

t.test(
  "a submit without an answer is waited for 3 x typical_seconds where a callback may come",
  async (t) => {
    const { resume, pass, callBack, calls, sent } = stage({ traits: { callback: "signed" } });
    await resume({ submits: 1 });
    await pass(149_500);
    t.strictSame(sent, []);
    await pass(500);
    t.strictSame(sent, [{ kind: "unanswered" }]);
    t.equal(await callBack("right"), "accepted", "it is there after all");
    await pass(1);
    t.strictSame(sent.slice(1), [{ kind: "called_back" }, { kind: "accepted", ref: "ref" }]);
    t.strictSame(formatTimes(calls, "submit"), []);
  },
);

t.test("a shard that starts again hears again that a submit has no answer", async (t) => {
  const { resume, pass, calls, sent } = stage({});
  await resume({ submits: 1 });
  await resume({ submits: 1 });
  await pass(60_000);
  t.strictSame(sent, [{ kind: "unanswered" }, { kind: "unanswered" }]);
  t.strictSame(calls, []);
});

t.test(
  "a submit without an answer is looked up, and sent again when it never arrived",
  async (t) => {
    const found: LookUp = { kind: "found", ref: "ref", status: running };
    for (const [lookUps, heard, submits] of [
      [[{ kind: "unknown" }, unreachable, found], [{ kind: "accepted", ref: "ref" }], []],
      [
        Array.from({ length: 9 }, () => ({ kind: "absent" }) as const),
        [
          { kind: "detail", detail: "provider_down" },
          { kind: "submitting", number: 2, hasLookUp: true },
          { kind: "detail", detail: null },
          { kind: "accepted", ref: "ref" },
        ],
        [33_000],
      ],
    ] as const) {
      const { resume, pass, calls, sent } = stage({ lookUps });
      await resume({ submits: 1 });
      await pass(40_000);
      t.strictSame(sent.slice(0, heard.length), heard);
      t.strictSame(formatTimes(calls, "submit"), submits);
    }
  },
);

t.test("a canceled job whose submit never arrived is not sent", async (t) => {
  const { resume, pass, calls, sent } = stage({ lookUps: [{ kind: "absent" }] });
  await resume({ submits: 1, isCanceled: true });
  await pass(120_000);
  t.strictSame(sent, [{ kind: "detail", detail: "provider_down" }]);
  t.strictSame(formatTimes(calls, "submit"), []);
});

t.test(
  "200 ignored: a duplicate, settled or unknown submission number; 403: bad token",
  async (t) => {
    const { submit, pass, callBack, calls, jobs } = stage({ traits: { callback: "signed" } });
    await submit();
    t.equal(await callBack("right", "one"), "accepted");
    t.equal(await callBack("right", "one"), "ignored");
    t.equal(await callBack("right", "two", 2), "ignored");
    const right = { rawBody: Buffer.from("x"), headers: { signature: "right" } };
    t.equal(await jobs.receiveCallback("there", jobSelf, undefined, right), "refused");
    t.equal(await jobs.receiveCallback("there", undefined, 1, right), "ignored");
    await pass(1_000);
    t.equal(formatTimes(calls, "status").length, 1, "one pending wake");
  },
);

t.test(
  "canceled work that the provider finished settles, and its result is not fetched",
  async (t) => {
    const { resume, pass, calls, sent } = stage({ statuses: [running, { state: "succeeded" }] });
    await resume({ submits: 1, ref: "ref", isCanceled: true });
    await pass(5_000);
    t.match(sent.at(-1), { kind: "finished", outcome: { kind: "succeeded", outputs: [] } });
    t.strictSame(formatTimes(calls, "result"), []);
  },
);

t.test("a reply that cannot be understood ends the job failed, refunded", async (t) => {
  const { submit, pass, sent } = stage({ statuses: [new ReplyError("no JSON")] });
  await submit();
  await pass(15_000);
  t.match(sent.at(-1), { kind: "finished", outcome: { class: "upstream", billed: false } });
});

t.test("billed moderation is refunded with always_refund_moderation", async (t) => {
  for (const alwaysRefundModeration of [false, true]) {
    const refused: ProviderStatus = {
      state: "failed",
      class: "moderation_safety",
      message: "No.",
      atOutput: true,
      billed: true,
    };
    const script = { statuses: [refused], model: { alwaysRefundModeration } };
    const { submit, pass, sent } = stage(script);
    await submit();
    await pass(5_000);
    t.match(sent.at(-1), { outcome: { billed: !alwaysRefundModeration } });
  }
});
