import t from "tap";
import type { TimelineRound, TimelineTask } from "../../actors/composition/timeline-round.ts";
import { ShortThreads } from "../../engine/threads.ts";

const entry = new URL("../../actors/timeline-thread/main.js", import.meta.url);

function taskOf(text: string): TimelineTask {
  const paths = ["index.html"];
  return { paths, markup: paths, texts: new Map([["index.html", text]]), seconds: new Map() };
}

const page =
  '<div data-composition-id="m" data-width="320" data-height="180" data-duration="2"></div>';

t.test("a timeline is computed on a thread of its own", async (t) => {
  const threads = new ShortThreads<TimelineTask, TimelineRound>(entry, {
    threads: 1,
    queueMax: 10,
    timeoutMs: 60_000,
    memoryMegabytes: 256,
  });
  t.teardown(() => threads.close());
  t.match(await threads.run(taskOf(page)), { kind: "done", timeline: { width: 320 } });
  const unread = { ...taskOf(page), texts: new Map() };
  t.strictSame(await threads.run(unread), { kind: "missed", paths: ["index.html"], assets: [] });
});

t.test("markup that takes too long ends its thread, and the next task gets another", async (t) => {
  const threads = new ShortThreads<TimelineTask, TimelineRound>(entry, {
    threads: 1,
    queueMax: 1,
    timeoutMs: 6_000,
    memoryMegabytes: 256,
  });
  t.teardown(() => threads.close());
  const hostile = taskOf("<b></b><i>".repeat(500_000));
  await t.rejects(threads.run(hostile), { name: "PortError", retryable: false });
  t.match(await threads.run(taskOf(page)), { kind: "done" });
});
