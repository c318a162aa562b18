/** There is one time for all: a wall clock that jumps changes no lifetime and no window. */
import t from "tap";
import type { Job } from "../../contract/job.ts";
import { openInProcess } from "./in-process-service.ts";

const hourMs = 3_600_000;

for (const byMs of [2 * hourMs, -3 * hourMs])
  t.test(`the wall clock jumps by ${byMs / hourMs} hours`, async (t) => {
    const house = await openInProcess(t);
    const ada = await house.account();
    const open = await ada.job("sim:slow=20000");
    const before = await ada.submit("a kite");
    t.equal(before.status, 202);
    house.clock.jump(byMs);
    const job = await ada.job("sim:slow=1000");
    await house.advance(30_000);
    for (const { id } of [open, job]) {
      const read = await ada.read(id);
      t.equal(read.status, "succeeded");
      t.ok(Date.parse(read.completed_at ?? "") >= Date.parse(read.created_at), "in this order");
    }
    const reader = await house.follow(ada, job.id);
    t.equal(reader.state, "ended", "a fresh ticket opens its stream");
    t.equal((await ada.submit("a kite")).status, 409, "a minute later it is a duplicate still");

    for (const shard of [0, 1]) {
      house.engine.lose(shard);
      await house.engine.reopen(shard);
    }
    t.equal((await ada.submit("a kite")).status, 409, "after a restart of the shards too");
    const after: Job = await ada.job("sim:ok");
    await house.settle();
    const ended = await ada.read(after.id);
    t.ok(Date.parse(ended.completed_at ?? "") >= Date.parse(after.created_at));
    t.equal((await house.follow(ada, after.id)).state, "ended");
  });
