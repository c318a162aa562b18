/** What becomes of a job whose provider gives odd answers. */
import t from "tap";
import {
  GoneError,
  type ProviderStatus,
  ReplyError,
  ResultError,
  type SubmitOutcome,
  UnavailableError,
} from "../../providers/provider.ts";
import { accepted, formatTimes, running, stage, unreachable } from "../effects/provider-stage.ts";

const succeeded: ProviderStatus = { state: "succeeded" };
const delivered = { files: [{ kind: "url", url: "https://files.example.com/a" }] } as const;
const makeRefund = (message: RegExp) => ({
  kind: "finished",
  outcome: { kind: "failed", class: "upstream", billed: false, message },
});

t.test("B1: the longer of Retry-After and our own growing pause is waited for", async (t) => {
  for (const kind of ["busy", "down"] as const)
    for (const [retryAfterMs, times] of [
      [undefined, [0, 1_000, 3_000, 7_000, 15_000]],
      [0, [0, 1_000, 3_000, 7_000, 15_000]],
      [3_000, [0, 3_000, 6_000, 10_000, 18_000]],
    ] as const) {
      const refusal: SubmitOutcome = retryAfterMs === undefined ? { kind } : { kind, retryAfterMs };
      const { submit, pass, calls } = stage({ submits: [refusal] });
      await submit();
      await pass(18_000);
      t.strictSame(formatTimes(calls, "submit"), times, `${kind} ${retryAfterMs}`);
    }
});

t.test("B1: a far Retry-After is bounded by the job's deadline", async (t) => {
  const far: SubmitOutcome = { kind: "busy", retryAfterMs: Number.MAX_SAFE_INTEGER };
  const script = { submits: [far, accepted], model: { deadlineSeconds: 100 } };
  const { submit, pass, calls } = stage(script);
  await submit();
  await pass(100_000);
  t.strictSame(formatTimes(calls, "submit"), [0, 100_000]);
});

t.test("B1: Retry-After of a read is heeded above our own pause", async (t) => {
  for (const [retryAfter, times] of [
    ["0", [5_000, 10_000, 20_000]],
    ["soon", [5_000, 10_000, 20_000]],
    ["12", [5_000, 17_000, 29_000]],
    ["99999999999", [5_000]],
  ] as const) {
    const { submit, pass, calls } = stage({ statuses: [new UnavailableError(429, retryAfter)] });
    await submit();
    await pass(30_000);
    t.strictSame(formatTimes(calls, "status"), times, retryAfter);
  }
});

t.test("B2: a result that is gone ends the job failed and refunded", async (t) => {
  const { submit, pass, calls, sent } = stage({
    statuses: [succeeded],
    results: [new GoneError("it is gone")],
  });
  await submit();
  await pass(15_000);
  t.strictSame(formatTimes(calls, "result"), [5_000, 15_000]);
  t.match(sent.at(-1), makeRefund(/^The provider no longer has the result .*\.$/));
  t.notOk(
    sent.some((message) => message.kind === "detail"),
    "it is not unavailable",
  );
  await pass(60_000);
  t.equal(formatTimes(calls, "status").length, 2, "its place is free");
});

t.test("B2: a result that is there the next time is delivered", async (t) => {
  for (const first of [new GoneError("not yet"), unreachable, new ReplyError("no JSON")]) {
    const script = { statuses: [succeeded], results: [first, delivered] };
    const { submit, pass, sent } = stage(script);
    await submit();
    await pass(30_000);
    t.match(sent.at(-1), { kind: "delivering" });
    t.notOk(sent.some((message) => message.kind === "finished"));
  }
});

t.test("B2: a result that cannot be had for the moment is asked for ever later", async (t) => {
  const { submit, pass, calls, sent } = stage({ statuses: [succeeded], results: [unreachable] });
  await submit();
  await pass(80_000);
  t.strictSame(formatTimes(calls, "result"), [5_000, 10_000, 20_000, 40_000, 80_000]);
  t.notOk(sent.some((message) => message.kind === "finished"));
});

t.test("B2: an empty or too large result ends the job at once, with its sentence", async (t) => {
  const results = [new ResultError("The model delivered no file.")];
  const { submit, pass, sent } = stage({ statuses: [succeeded], results });
  await submit();
  await pass(5_000);
  t.match(sent.at(-1), makeRefund(/^The model delivered no file\.$/));
});

t.test("B4: one answer that cannot be understood ends nothing", async (t) => {
  const statuses = [new ReplyError("no JSON"), running, new ReplyError("no JSON"), running];
  const { submit, pass, sent, calls } = stage({ statuses });
  await submit();
  await pass(60_000);
  t.notOk(sent.some((message) => message.kind === "finished"));
  t.equal(formatTimes(calls, "cancel").length, 0);
});

t.test("B4: work that goes on although its job ends is canceled there", async (t) => {
  const { submit, pass, sent, calls } = stage({ statuses: [new ReplyError("no JSON")] });
  await submit();
  await pass(15_000);
  t.match(sent.at(-1), makeRefund(/could not be interpreted\.$/));
  t.strictSame(formatTimes(calls, "cancel"), [15_000]);
});
