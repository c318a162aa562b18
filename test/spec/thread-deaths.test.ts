/** What followers get when a shard's thread dies and comes back. One shard, and the directory. */
import t from "tap";
import type { User } from "../../contract/account.ts";
import { imagePath } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const shard = 0;
const directory = 1;

t.test("I11: a stream ends in complete though the shard died without a word of it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=1000");
  const reader = await house.follow(ada, job.id);
  const wait = ada.get(`/v1/jobs/${job.id}/wait`);
  house.engine.silence(shard);
  await house.advance(2_000);
  house.engine.lose(shard);
  t.equal(reader.frames.at(-1)?.event, "status");
  await house.engine.reopen(shard);
  await house.settle();
  t.match(reader.frames.at(-1), { event: "complete", data: { status: "succeeded" } });
  t.equal(reader.state, "ended");
  t.match(await wait, { status: 200, json: { status: "succeeded" } });
});

t.test("a stream goes on after its shard was away, whatever rang meanwhile", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json: job } = await ada.post<{ id: string }>(imagePath, { model: "studio", prompt: "x" });
  const node = house.farmNode();
  await house.settle();
  const reader = await house.follow(ada, job.id);
  house.engine.progress(job.id, node.lease.token, 0.25);
  await house.settle();
  house.engine.lose(shard);
  await house.advance(16_000);
  t.match(reader.text, /: keep-alive\n\n$/, "the frame of its progress is due, and its shard away");
  await house.engine.reopen(shard);
  await house.settle();
  t.strictSame(reader.frames.at(-1)?.data, { status: "running", progress: 0.25 });
});

t.test("a stream that ends while the directory is away completes when it is back", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=1000");
  const reader = await house.follow(ada, job.id);
  house.engine.lose(directory);
  await house.advance(2_000);
  t.equal(reader.state, "open", "its link cannot be signed yet");
  await house.engine.reopen(directory);
  await house.settle();
  t.match(reader.frames.at(-1), { event: "complete", data: { asset_url: /^https:/ } });
  const endings = reader.frames.filter(({ event }) => event === "complete");
  t.equal(endings.length, 1);
});

t.test("a token that was revoked while the directory died is not remembered", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { json } = await ada.get<User>("/v1/me");
  house.engine.silence(directory);
  const revoked = ada.delete(`/v1/tokens/${json.token.id}`);
  await house.settle();
  house.engine.lose(directory);
  t.equal((await revoked).status, 503, "the outcome is unknown");
  await house.engine.reopen(directory);
  t.equal((await ada.get("/v1/me")).status, 401);
});
