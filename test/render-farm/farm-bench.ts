import { join } from "node:path";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { SceneBrowser } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { studioImage } from "../../render-farm/models/studio-image.ts";
import type { TaskWorker } from "../../render-farm/node/task-loop.ts";
import { alone } from "./alone.ts";
import { raiseFence, type Teardown } from "./fenced.ts";

/** A browser and objects in memory, with the image worker between them. */
export interface FarmBench {
  readonly browser: SceneBrowser;
  readonly objects: Objects;
  readonly worker: TaskWorker;
  run(input: object, outputPrefix?: string): Promise<TaskOutcome>;
  readBytes(key: string): Promise<Buffer>;
}

export async function openFarmBench(t: Teardown): Promise<FarmBench> {
  const executablePath = await findChromium(undefined, "/usr/local/bin:/usr/bin:/bin");
  const models = join(import.meta.dirname, "..", "..", "render-farm", "models");
  const browser = new SceneBrowser({ executablePath, sandbox: process.getuid?.() !== 0 }, models);
  const objects = memoryObjects();
  const { workspaces } = await raiseFence(t);
  const worker = studioImage({ browser, workspaces }, objects, 600_000);
  return {
    browser,
    objects,
    worker,
    run: (input, outputPrefix = "out") =>
      worker.run({
        ...alone,
        input,
        outputPrefix,
        signal: new AbortController().signal,
        reportProgress: () => undefined,
      }),
    async readBytes(key) {
      const chunks: Uint8Array[] = [];
      const range = { start: 0, end: Number.MAX_SAFE_INTEGER };
      for await (const chunk of objects.read(key, range)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}
