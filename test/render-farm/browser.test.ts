import t from "tap";
import { PortError } from "../../engine/ports/port-error.ts";
import { SceneBrowser } from "../../render-farm/browser/browser.ts";
import { alone } from "./alone.ts";
import { openFarmBench } from "./farm-bench.ts";

const picture = { prompt: "sea", seed: 1, width: 2048, height: 2048, count: 8, format: "png" };
const small = { ...picture, width: 64, height: 64, count: 1 };

t.test("a browser that dies costs one retry, never the node", async (t) => {
  const { browser, run } = await openFarmBench(t);
  t.teardown(() => browser.close());
  t.equal((await run(small)).kind, "succeeded");
  const failed = t.rejects(run(picture), { name: "PortError", retryable: true });
  await browser.close();
  await failed;
  t.equal((await run(small)).kind, "succeeded");
});

t.test("an idle browser that dies is replaced", async (t) => {
  const { browser, run } = await openFarmBench(t);
  t.teardown(() => browser.close());
  await run(small);
  await browser.close();
  t.equal((await run(small)).kind, "succeeded");
});

t.test("an aborted picture ends at once and the next one works", async (t) => {
  const { browser, run, worker } = await openFarmBench(t);
  t.teardown(() => browser.close());
  await run(small);
  const abort = new AbortController();
  const context = { ...alone, input: picture, outputPrefix: "x", reportProgress: () => undefined };
  const stopped = { name: "PortError", message: "the picture was stopped" };
  const failed = t.rejects(worker.run({ ...context, signal: abort.signal }), stopped);
  abort.abort();
  await failed;
  t.equal((await run(small)).kind, "succeeded");
});

t.test("pages have no network and only our modules", async (t) => {
  const { browser } = await openFarmBench(t);
  t.teardown(() => browser.close());
  await browser.withPage(new AbortController().signal, async (page) => {
    for (const module of ["../secret.js", "studio-image/draw.ts", "studio-image/none.js"])
      await t.rejects(page.call(module, "draw", {}), /import/, module);
  });
});

t.test("a failure of a module is a bug, not a fault", async (t) => {
  const { browser } = await openFarmBench(t);
  t.teardown(() => browser.close());
  const nothing = browser.withPage(new AbortController().signal, (page) =>
    page.call("studio-image/draw.js", "absent", {}),
  );
  const failure = await nothing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  t.ok(failure instanceof Error && !(failure instanceof PortError));
});

t.test("a Chromium that does not start is a fault that names the setting", async (t) => {
  const browser = new SceneBrowser({ executablePath: "/nowhere/chromium", sandbox: false }, "/");
  const opening = browser.withPage(new AbortController().signal, async () => undefined);
  await t.rejects(opening, { name: "PortError", message: /KLIEG_CHROMIUM/, retryable: true });
});
