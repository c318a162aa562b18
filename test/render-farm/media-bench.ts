import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome, TaskOutput } from "../../engine/ports/tasks.ts";
import type { TaskWorker } from "../../render-farm/node/task-loop.ts";
import type { Workspaces } from "../../render-farm/node/workspace.ts";
import { findTool } from "../../render-farm/programs/find-tool.ts";
import { type MediaTools, mediaTools } from "../../render-farm/programs/media-tools.ts";
import { alone } from "./alone.ts";
import { type Fenced, raiseFence, searchPath, type Teardown } from "./fenced.ts";

const execute = promisify(execFile);

/** Real tools, objects in memory, and ways to inspect what a worker stored there. */
export interface MediaBench {
  readonly fenced: Fenced;
  readonly workspaces: Workspaces;
  /** Media tools that run as the farm's own user. */
  readonly tools: MediaTools;
  readonly objects: Objects;
  run(worker: TaskWorker, input: object, signal?: AbortSignal): Promise<TaskOutcome>;
  /** Runs a task that must succeed, and returns its first output. */
  make(worker: TaskWorker, input: object): Promise<TaskOutput>;
  readBytes(key: string | undefined): Promise<Buffer>;
  /** Stores what ffmpeg makes with these arguments, to which the file's name is added. */
  store(
    name: string,
    mimeType: string,
    args: readonly string[],
  ): Promise<{
    readonly objectKey: string;
    readonly mimeType: string;
  }>;
  /** Returns ffmpeg's standard output about a stored object, for example raw pixels. */
  look(
    key: string | undefined,
    args: readonly string[],
    inputArgs?: readonly string[],
  ): Promise<Buffer>;
  /** Returns ffmpeg's standard error, for example the loudness that it measured. */
  hear(key: string | undefined, filter: string): Promise<string>;
  codecs(key: string | undefined): Promise<string>;
}

interface TestFolder extends Teardown {
  testdir(): string;
}

export async function openMediaBench(t: TestFolder): Promise<MediaBench> {
  const folder = t.testdir();
  const [ffmpeg, ffprobe] = await Promise.all(
    ["ffmpeg", "ffprobe"].map((name) => findTool(undefined, name, searchPath)),
  );
  const fenced = await raiseFence(t);
  const { workspaces, programs } = fenced;
  const tools = mediaTools(programs, undefined);
  const objects = memoryObjects();
  let taskCount = 0;
  const readBytes = async (key: string | undefined): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    const range = { start: 0, end: Number.MAX_SAFE_INTEGER };
    for await (const chunk of objects.read(key ?? "", range)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const onDisk = async (key: string | undefined): Promise<string> => {
    const path = join(folder, (key ?? "").replaceAll("/", "_"));
    await writeFile(path, await readBytes(key));
    return path;
  };
  const run: MediaBench["run"] = (worker, input, signal = new AbortController().signal) =>
    worker
      .run({
        ...alone,
        input,
        outputPrefix: `out/${taskCount++}`,
        signal,
        reportProgress: () => undefined,
      })
      .catch(asTheLoopDoes);
  return {
    fenced,
    workspaces,
    tools,
    objects,
    run,
    readBytes,
    async make(worker, input) {
      const outcome = await run(worker, input);
      if (outcome.kind === "failed") throw new Error(outcome.message);
      const [output] = outcome.outputs;
      if (output === undefined) throw new Error("no output");
      return output;
    },
    async store(name, mimeType, args) {
      const path = join(folder, name);
      await execute(ffmpeg ?? "", ["-v", "error", "-y", ...args, path]);
      const { stdout } = await execute("cat", [path], { encoding: "buffer", maxBuffer: 2 ** 28 });
      const objectKey = `sources/${name}`;
      await objects.put(objectKey, [stdout]);
      return { objectKey, mimeType };
    },
    async look(key, args, inputArgs = []) {
      const options = { encoding: "buffer", maxBuffer: 2 ** 28 } as const;
      const path = await onDisk(key);
      const read = ["-v", "error", ...inputArgs, "-i", path];
      const seen = await execute(ffmpeg ?? "", [...read, ...args, "-"], options);
      return seen.stdout;
    },
    async hear(key, filter) {
      const path = await onDisk(key);
      const args = ["-hide_banner", "-i", path, "-af", filter, "-f", "null", "-"];
      return (await execute(ffmpeg ?? "", args)).stderr;
    },
    async codecs(key) {
      const args = ["-v", "error", "-show_streams", "-of", "default=nw=1", await onDisk(key)];
      return (await execute(ffprobe ?? "", args)).stdout;
    },
  };
}

function asTheLoopDoes(fault: unknown): TaskOutcome {
  if (!(fault instanceof PortError)) throw fault;
  return { kind: "failed", message: fault.message, retryable: fault.retryable };
}
