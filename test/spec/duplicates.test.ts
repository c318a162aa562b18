import t from "tap";
import type { Static } from "../../config/schema.ts";
import type { Credits } from "../../contract/account.ts";
import type { JobPage } from "../../contract/job.ts";
import { imagePath, type Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const key = (value: string) => ({ "idempotency-key": value });

t.test("the same body without a key answers 409 with job_id and no code", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  const { status, json } = await ada.submit<Refused>("a kite");
  t.equal(status, 409);
  t.match(json, { title: "Duplicate Submission", status: 409, job_id: job.id });
  t.equal(json.code, undefined);
});

t.test("the same body with the same Idempotency-Key answers 409 with job_id", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json: job } = await ada.submit("a kite", {}, key("k-1"));
  const { status, json } = await ada.submit<Refused>("a kite", {}, key("k-1"));
  t.equal(status, 409);
  t.equal(json.job_id, job.id);
});

t.test("a different Idempotency-Key starts a new billable generation", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const jobs = new Set<string>();
  for (const headers of [key("k-1"), key("k-2"), undefined]) {
    const { status, json } = await ada.submit("a kite", {}, headers);
    t.equal(status, 202);
    jobs.add(json.id);
  }
  t.equal(jobs.size, 3);
  await house.settle();
  const { json } = await ada.get<Static<typeof Credits>>("/v1/me/credits");
  t.equal(json.balance_credits, 7);
});

t.test("the same key with a different body is not a duplicate", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await ada.submit("one kite", {}, key("k"))).status, 202);
  t.equal((await ada.submit("two kites", {}, key("k"))).status, 202);
});

t.test(
  "64 equal submits at once: one 202, 63 answers 409 with its job_id, one charge",
  async (t) => {
    for (const shardCount of [1, 2]) {
      const house = await openInProcess(t, { shardCount });
      const ada = await house.account({ credits: 100 });
      const replies = await Promise.all(
        Array.from({ length: 64 }, () => ada.submit<Refused & { id: string }>("64 kites")),
      );
      const [accepted, ...more] = replies.filter(({ status }) => status === 202);
      t.equal(more.length, 0, "one is accepted");
      const refused = replies.filter(({ status }) => status === 409);
      t.equal(refused.length, 63);
      t.ok(refused.every(({ json }) => json.job_id === accepted?.json.id));
      await house.settle();
      const { json } = await ada.get<Static<typeof Credits>>("/v1/me/credits");
      t.match(json, { balance_credits: 99, held_credits: 0 });
      t.equal((await ada.get<Static<typeof JobPage>>("/v1/jobs")).json.total, 1);
    }
  },
);

const equalBodies: readonly (readonly [rule: string, body: string])[] = [
  ["the order of members", '{"prompt":"a kite","model":"sim-instant"}'],
  ["null members", '{"model":"sim-instant","prompt":"a kite","seed":null}'],
  ["num_images at its default", '{"model":"sim-instant","prompt":"a kite","num_images":1}'],
  ["the default format", '{"model":"sim-instant","prompt":"a kite","output_format":"png"}'],
  [
    "enhance_prompt at its default",
    '{"model":"sim-instant","prompt":"a kite","enhance_prompt":false}',
  ],
  ["the model's default ratio", '{"model":"sim-instant","prompt":"a kite","aspect_ratio":"1:1"}'],
  ["the model's default resolution", '{"model":"sim-instant","prompt":"a kite","resolution":"1k"}'],
  ["white space", '{ "model" : "sim-instant",\n "prompt" : "a kite" }'],
  ["escapes", '{"model":"sim-instant","prompt":"\\u0061 kite"}'],
  ["the form of a number", '{"model":"sim-instant","prompt":"a kite","num_images":1.0}'],
];

t.test("bodies are compared in canonical form", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("a kite");
  for (const [rule, body] of equalBodies) {
    const { status, json } = await ada.post(imagePath, body);
    t.equal(status, 409, `${rule} makes no difference`);
    t.equal(json.job_id, job.id);
  }
});

t.test("strings are compared in Unicode normal form C", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await ada.submit("caf\u00e9")).status, 202);
  t.equal((await ada.submit("cafe\u0301")).status, 409);
});

t.test("an alias and the id of its model are the same model", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  t.equal((await ada.post(imagePath, { model: "studio", prompt: "x" })).status, 202);
  t.equal((await ada.post(imagePath, { model: "studio-image", prompt: "x" })).status, 409);
});

t.test("bodies that ask for something else are no duplicates", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 100 });
  await ada.job("a kite");
  for (const more of [{ seed: 1 }, { num_images: 2 }, { aspect_ratio: "16:9" }, { tags: ["x"] }]) {
    t.equal((await ada.submit("a kite", more)).status, 202, JSON.stringify(more));
    await house.settle();
  }
  t.equal((await ada.submit("A kite")).status, 202, "letters differ");
});

t.test("the duplicate window is five minutes", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ credits: 10 });
  const first = await ada.job("a kite");
  await house.advance(299_000);
  t.equal((await ada.submit<Refused>("a kite")).json.job_id, first.id, "refused at 4:59");
  await house.advance(1_250);
  const { status, json } = await ada.submit("a kite");
  t.equal(status, 202, "accepted after five minutes");
  t.not(json.id, first.id);
});

t.test("a refused duplicate does not prolong the window", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  await ada.job("a kite");
  await house.advance(290_000);
  t.equal((await ada.submit("a kite")).status, 409);
  await house.advance(11_000);
  t.equal((await ada.submit("a kite")).status, 202);
});

t.test("a duplicate is refused whatever the earlier job's state", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 100 });
  const prompts = ["sim:ok", "sim:fail", "sim:nsfw", "sim:slow=90000", "sim:queue=90000"];
  for (const prompt of prompts) await ada.job(prompt);
  const canceled = await ada.job("to be canceled sim:busy=5");
  await ada.cancel(canceled.id);
  await house.settle();
  const { json: page } = await ada.get<Static<typeof JobPage>>("/v1/jobs");
  t.strictSame(page.items.map(({ status }) => status).sort(), [
    "canceled",
    "failed",
    "failed",
    "queued",
    "running",
    "succeeded",
  ]);
  // A moderated job is answered with the remembered refusal.
  for (const prompt of [...prompts, "to be canceled sim:busy=5"])
    t.equal((await ada.submit(prompt)).status, prompt === "sim:nsfw" ? 400 : 409, prompt);
});

t.test("only accepted submissions are remembered", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 0 });
  t.equal((await ada.submit("a kite")).status, 402);
  t.equal((await ada.submit("a kite")).status, 402, "a refused submit is no earlier submission");
});

t.test("two accounts may ask for the same", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const bob = await house.account();
  t.equal((await ada.submit("a kite", {}, key("k"))).status, 202);
  t.equal((await bob.submit("a kite", {}, key("k"))).status, 202);
});

t.test("an Idempotency-Key is 1 to 255 visible ASCII characters", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const value of ["!", "~", "k".repeat(255)]) {
    t.equal((await ada.submit(`with ${value}`, {}, key(value))).status, 202);
    await house.settle();
  }
  for (const value of ["", "two words", "k".repeat(256), "schl\u00fcssel", "tab\t"]) {
    const { status, json } = await ada.submit<Refused>("a kite", {}, key(value));
    t.equal(status, 400, JSON.stringify(value.slice(0, 12)));
    t.match(json, { code: "validation", detail: /Idempotency-Key/ });
  }
});
