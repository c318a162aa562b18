/** Threads for short tasks that are too heavy or too hostile for the thread of HTTP. */
import { limits } from "../config/limits.ts";
import { ShortThreads } from "../engine/threads.ts";
import type { PageTask } from "../film/preview/preview-page.ts";
import type { Writing } from "../timeline/export/writing.ts";
import type { Written } from "../timeline/export-thread/archive.ts";
import type { FigmaResult, FigmaTask } from "../timeline/figma/figma-task.ts";
import type { TimelineRound, TimelineTask } from "../timeline/timeline-thread/timeline-round.ts";

const entries = {
  timelines: new URL("../timeline/timeline-thread/main.js", import.meta.url),
  pages: new URL("../film/page-thread/main.js", import.meta.url),
  exports: new URL("../timeline/export-thread/main.js", import.meta.url),
  figma: new URL("../timeline/figma-thread/main.js", import.meta.url),
};

/** Opens them; a thread starts with its first task. */
export function openShortThreads() {
  const { compositions, exports, figma } = limits;
  const forMarkup = {
    threads: compositions.timelineThreads,
    queueMax: compositions.timelineQueueMax,
    timeoutMs: compositions.timelineMs,
    memoryMegabytes: compositions.timelineMegabytes,
  };
  return {
    timelines: new ShortThreads<TimelineTask, TimelineRound>(entries.timelines, forMarkup),
    pages: new ShortThreads<PageTask, string>(entries.pages, forMarkup),
    exports: new ShortThreads<Writing, Written>(entries.exports, {
      threads: exports.threads,
      queueMax: exports.queueMax,
      timeoutMs: exports.writingMs,
      memoryMegabytes: exports.threadMegabytes,
    }),
    figma: new ShortThreads<FigmaTask, FigmaResult>(entries.figma, {
      threads: 1,
      queueMax: figma.importsMax,
      timeoutMs: figma.readMs,
      memoryMegabytes: figma.readMegabytes,
    }),
  };
}
