import t from "tap";
import { ShortThreads } from "../../engine/threads.ts";
import type { TimelineRound, TimelineTask } from "../../timeline/timeline-thread/timeline-round.ts";
import type { Need } from "./endless-thread.ts";

const entry = new URL("../../timeline/timeline-thread/main.js", import.meta.url);
const endless = new URL("endless-thread.js", import.meta.url);

function makeTask(text: string): TimelineTask {
  const paths = ["index.html"];
  return { paths, markup: paths, texts: new Map([["index.html", text]]), seconds: new Map() };
}

const page =
  '<div data-composition-id="m" data-width="320" data-height="180" data-duration="2"></div>';

t.test("a timeline is computed on a thread of its own", async (t) => {
  const threads = new ShortThreads<TimelineTask, TimelineRound>(entry, {
    threads: 1,
    queueMax: 10,
    timeoutMs: 300_000,
    memoryMegabytes: 256,
  });
  t.teardown(() => threads.close());
  t.match(await threads.run(makeTask(page)), { kind: "done", timeline: { width: 320 } });
  const unread = { ...makeTask(page), texts: new Map() };
  t.strictSame(await threads.run(unread), { kind: "missed", paths: ["index.html"], assets: [] });
});

for (const what of ["time", "memory"] as const)
  t.test(`a task that takes too much ${what} ends its thread; the next gets another`, async (t) => {
    const threads = new ShortThreads<Need, string>(endless, {
      threads: 1,
      queueMax: 1,
      timeoutMs: what === "time" ? 5_000 : 300_000,
      memoryMegabytes: 64,
    });
    t.teardown(() => threads.close());
    await t.rejects(threads.run({ what }), { name: "PortError", retryable: false });
    // On a busy machine the next thread may take longer to start than a task may take.
    const next = () => threads.run({ what: "nothing" }).catch(() => "late");
    let said = await next();
    while (said === "late") said = await next();
    t.equal(said, "done");
  });
