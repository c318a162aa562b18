import { randomUUID } from "node:crypto";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import type { Stage, StageBrowser } from "../../render-farm/browser/stage.ts";
import { filmOrigin } from "../../render-farm/render/inputs/page-files.ts";
import { SpareBrowsers } from "../../render-farm/render/page/spare-browsers.ts";
import { openFilmBench, sameFonts } from "./film-bench.ts";
import { createSimulatedTimers } from "./simulated-timers.ts";

const { isolation } = await openFilmBench(t, 1);

t.test("after a film browsers stand ready, and each serves one film alone", async (t) => {
  const timers = createSimulatedTimers();
  const browsers = new SpareBrowsers(isolation, () => 1, timers, sameFonts);
  t.teardown(() => browsers.close());
  const first = await browsers.take();
  const file = await leaveFile(first);
  await browsers.end(first);
  browsers.refill();
  timers.advance(500);
  await t.rejects(access(file), { code: "ENOENT" });
  const second = await browsers.take();
  const third = await browsers.take();
  const profiles = new Set([first.profile, second.profile, third.profile]);
  t.equal(profiles.size, 3);
  t.ok(second.isAlive && third.isAlive);
  await browsers.end(second);
  await browsers.end(third);
});

t.test("where pages cannot be kept off the network no browser starts", async (t) => {
  const browsers = new SpareBrowsers(
    { kind: "refused", sentence: "not here" },
    () => 1,
    createSimulatedTimers(),
    sameFonts,
  );
  await t.rejects(browsers.take(), { message: "internal: not here" });
});

t.test("a film that has its browser ends those that stand ready", async (t) => {
  let count = 2;
  const timers = createSimulatedTimers();
  const browsers = new SpareBrowsers(isolation, () => count, timers, sameFonts);
  t.teardown(() => browsers.close());
  browsers.refill();
  timers.advance(500);
  const own = await browsers.take();
  browsers.dismiss();
  count = 0;
  t.ok(own.isAlive);
  const another = await browsers.take();
  t.ok(another.isAlive, "whoever wants one still gets one");
  await browsers.end(own);
  await browsers.end(another);
});

t.test("browsers that stand ready do not outlive a change of the machine's fonts", async (t) => {
  let fontsMs = 1;
  const timers = createSimulatedTimers();
  const browsers = new SpareBrowsers(
    isolation,
    () => 0,
    timers,
    async () => fontsMs,
  );
  t.teardown(() => browsers.close());
  const own = await browsers.take();
  browsers.keep(own, "one", Promise.resolve(undefined));
  fontsMs = 2;
  t.equal(await browsers.takeKept("one"), undefined);
});

t.test("browsers that stand ready end with the node", async (t) => {
  const timers = createSimulatedTimers();
  const browsers = new SpareBrowsers(isolation, () => 1, timers, sameFonts);
  browsers.refill();
  timers.advance(500);
  const ready = await browsers.take();
  const file = await leaveFile(ready);
  await browsers.close();
  await browsers.end(ready);
  await t.rejects(access(file), { code: "ENOENT" });
});

t.test("a browser that is kept serves its own film again, and nothing is left in it", async (t) => {
  const browsers = new SpareBrowsers(isolation, () => 0, createSimulatedTimers(), sameFonts);
  t.teardown(() => browsers.close());
  const first = await browsers.take();
  const opened = await readPage(first);
  await opened.evaluate("localStorage.setItem('left', 'here')");
  t.equal(await opened.evaluate("localStorage.getItem('left')"), "here");
  browsers.keep(first, "one", empty(first));
  t.equal(await browsers.takeKept("another"), undefined);
  const again = await browsers.takeKept("one");
  t.equal(again?.browser, first);
  t.equal(await (await readPage(first)).evaluate("localStorage.getItem('left')"), null);
  await browsers.end(first);
});

t.test("a browser is kept for a while, and only the last one", async (t) => {
  const timers = createSimulatedTimers();
  const browsers = new SpareBrowsers(isolation, () => 0, timers, sameFonts);
  const [first, second] = [await browsers.take(), await browsers.take()];
  const files = await Promise.all([first, second].map(leaveFile));
  browsers.keep(first, "one", empty(first));
  browsers.keep(second, "another", empty(second));
  t.equal(await browsers.takeKept("one"), undefined);
  timers.advance(15_000);
  t.equal(await browsers.takeKept("another"), undefined);
  const third = await browsers.take();
  files.push(await leaveFile(third));
  browsers.keep(third, "one", empty(third));
  await browsers.close();
  for (const file of files) await t.rejects(access(file), { code: "ENOENT" });
});

t.test("a browser that died, or could not be emptied, is kept for nobody", async (t) => {
  const browsers = new SpareBrowsers(isolation, () => 0, createSimulatedTimers(), sameFonts);
  t.teardown(() => browsers.close());
  const first = await browsers.take();
  const file = await leaveFile(first);
  first.kill();
  browsers.keep(first, "one", empty(first));
  t.equal(await browsers.takeKept("one"), undefined);
  await t.rejects(access(file), { code: "ENOENT" });
});

/**
 * Writes a file into the browser's folder and returns its path. The folder's own name says nothing:
 * it may be lent to another program as soon as it is free.
 */
async function leaveFile({ profile }: StageBrowser): Promise<string> {
  const file = join(profile, randomUUID());
  await writeFile(file, "");
  return file;
}

async function empty(browser: StageBrowser): Promise<undefined> {
  await browser.renew();
  return undefined;
}

async function readPage(browser: StageBrowser): Promise<Stage> {
  const stage = await browser.open({
    start: `${filmOrigin}/index.html`,
    size: { width: 16, height: 16 },
    script: "",
    answer: async () => ({ contentType: "text/html", body: Buffer.from("") }),
    onFault: () => undefined,
  });
  await stage.goto();
  return stage;
}
