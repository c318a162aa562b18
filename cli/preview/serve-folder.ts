import { realpath, stat } from "node:fs/promises";
import { limits } from "../../config/limits.ts";
import { ShortThreads } from "../../engine/threads.ts";
import type { PageTask } from "../../film/preview/preview-page.ts";
import type { Timeline } from "../../timeline/model.ts";
import { CommandError, type Session } from "../command.ts";
import type { FolderTexts } from "./check-texts.ts";
import { LiveFolder, type Ports } from "./live-folder.ts";
import { openPreviewServer } from "./preview-server.ts";

/** Serves until the command is to end. Throws `CommandError` if the folder cannot be shown. */
export async function serveFolder(path: string, port: number, session: Session): Promise<void> {
  const { terminal, stopped } = session;
  const root = await resolvePlace(path);
  const ports = openPorts();
  const folder = await LiveFolder.open(root, ports);
  try {
    if (folder.shown.kind === "fault") throw new CommandError(folder.shown.fault);
    const server = await openPreviewServer(folder, port, (fault) => terminal.say(`${fault}\n`));
    terminal.print(server.url);
    terminal.say(
      "Open this address in a browser on this machine; press Ctrl-C to stop the preview.\n",
    );
    await stopped();
    server.close();
  } finally {
    folder.close();
    await ports.close();
  }
}

/** Returns the folder's real path. Throws `CommandError` if it is not a folder. */
async function resolvePlace(path: string): Promise<string> {
  const place = await realpath(path).catch(() => undefined);
  const isFolder = place !== undefined && (await stat(place)).isDirectory();
  if (!isFolder) throw new CommandError(`${path} is not a folder.`);
  return place;
}

const entries = {
  checks: new URL("./check-thread/main.js", import.meta.url),
  pages: new URL("../../film/page-thread/main.js", import.meta.url),
};

/** Hostile markup takes long to read, so threads that can be ended do it, as in the service. */
function openPorts(): Ports & { close(): Promise<void> } {
  const { timelineMs, timelineQueueMax, timelineMegabytes } = limits.compositions;
  const bounds = {
    threads: 1,
    queueMax: timelineQueueMax,
    timeoutMs: timelineMs,
    memoryMegabytes: timelineMegabytes,
  };
  const checks = new ShortThreads<FolderTexts, Timeline>(entries.checks, bounds);
  const pages = new ShortThreads<PageTask, string>(entries.pages, bounds);
  return {
    check: (texts) => checks.run(texts),
    writePage: (task) => pages.run(task),
    async close() {
      await Promise.all([checks.close(), pages.close()]);
    },
  };
}
