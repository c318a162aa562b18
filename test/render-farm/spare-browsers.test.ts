import { access } from "node:fs/promises";
import t from "tap";
import { SpareBrowsers } from "../../render-farm/render/spare-browsers.ts";
import { openFilmBench } from "./film-bench.ts";

const { isolation } = await openFilmBench(t);

t.test("after a film browsers stand ready, and each serves one film alone", async (t) => {
  const browsers = new SpareBrowsers(isolation, () => 1);
  t.teardown(() => browsers.close());
  const first = await browsers.take();
  await browsers.end(first);
  browsers.refill();
  await t.rejects(access(first.profile), { code: "ENOENT" });
  const second = await browsers.take();
  const third = await browsers.take();
  const profiles = new Set([first.profile, second.profile, third.profile]);
  t.equal(profiles.size, 3);
  t.ok(second.isAlive && third.isAlive);
  await browsers.end(second);
  await browsers.end(third);
});

t.test("where pages cannot be kept off the network no browser starts", async (t) => {
  const browsers = new SpareBrowsers({ kind: "refused", sentence: "not here" }, () => 1);
  await t.rejects(browsers.take(), { message: "internal: not here" });
});

t.test("a film that has its browser ends those that stand ready", async (t) => {
  let count = 2;
  const browsers = new SpareBrowsers(isolation, () => count);
  t.teardown(() => browsers.close());
  browsers.refill();
  const own = await browsers.take();
  browsers.dismiss();
  count = 0;
  t.ok(own.isAlive);
  const another = await browsers.take();
  t.ok(another.isAlive, "whoever wants one still gets one");
  await browsers.end(own);
  await browsers.end(another);
});

t.test("browsers that stand ready end with the node", async (t) => {
  const browsers = new SpareBrowsers(isolation, () => 1);
  browsers.refill();
  const ready = await browsers.take();
  await browsers.close();
  await browsers.end(ready);
  await t.rejects(access(ready.profile), { code: "ENOENT" });
});
