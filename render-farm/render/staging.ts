import { setMaxListeners } from "node:events";
import { limits } from "../../config/limits.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import type { TaskContext } from "../node/task-loop.ts";
import { MediaFiles } from "./inputs/media-files.ts";
import { PageFiles } from "./inputs/page-files.ts";
import { StoredBundle } from "./inputs/stored-bundle.ts";
import { RenderError, Warnings } from "./render-error.ts";
import type { RenderInput } from "./render-input.ts";
import type { RenderStage, StudioTools } from "./render-stage.ts";

/** Tools and bounds for rendering compositions. */
export interface Studio {
  readonly tools: StudioTools;
  readonly objects: Objects;
  /** Wall time of a task in milliseconds. */
  readonly timeoutMs: number;
}

/** Runs `work` on a composition and cleans up; a failure's message begins with its kind. */
export async function onStage(
  { tools, objects, timeoutMs }: Studio,
  input: RenderInput,
  context: TaskContext,
  work: (stage: RenderStage) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  const { refusal } = tools.browsers;
  if (refusal !== undefined)
    return { kind: "failed", message: `internal: ${refusal}`, retryable: false };
  const late = AbortSignal.timeout(Math.ceil(timeoutMs * ownShare));
  const signal = AbortSignal.any([context.signal, late]);
  // Each program and page of the render adds a listener.
  setMaxListeners(0, signal);
  const warnings = new Warnings(limits.capture.warningsMax);
  try {
    return await tools.workspaces.use(async ({ folder, media, pictures }) => {
      const bundle = await StoredBundle.open(objects, input.manifestKey, input.assets);
      return work({
        tools: { ...tools, media, pictures },
        objects,
        input,
        context: { ...context, signal },
        folder,
        bundle,
        warnings,
        media: new MediaFiles({ media, known: tools.known }, objects, folder, signal),
        files: new PageFiles(bundle, warnings),
      });
    });
  } catch (failure) {
    const outcome = late.aborted && !context.signal.aborted ? tooLong : getOutcome(failure);
    return { ...outcome, warnings: warnings.all() };
  } finally {
    tools.browsers.refill();
  }
}

/** Share of the task's time after which the render itself reports a timeout. */
const ownShare = 0.98;
const tooLong: TaskOutcome = {
  kind: "failed",
  message: "render_timeout: the render exceeded its time limit",
  retryable: false,
  isTimeout: true,
};

/** Maps a failure to an outcome; rethrows bugs, which the task loop reports. */
function getOutcome(failure: unknown): TaskOutcome {
  if (failure instanceof RenderError)
    return {
      kind: "failed",
      message: failure.message,
      retryable: failure.isRetryable,
      ...(failure.kind === "render_timeout" ? { isTimeout: true } : {}),
    };
  if (failure instanceof PortError)
    return {
      kind: "failed",
      message: `internal: ${failure.message}`,
      retryable: failure.retryable,
    };
  throw failure;
}
