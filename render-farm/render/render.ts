import { setMaxListeners } from "node:events";
import { limits } from "../../config/limits.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { refusedInput, type TaskContext, type TaskWorker } from "../task-loop.ts";
import { withWorkspace } from "../workspace.ts";
import { MediaFiles } from "./media-files.ts";
import { PageFiles } from "./page-files.ts";
import { RenderFault, Warnings } from "./render-fault.ts";
import { isRenderInput, type RenderInput } from "./render-input.ts";
import type { RenderStage, RenderTools } from "./render-stage.ts";
import { makeStill } from "./still.ts";
import { StoredBundle } from "./stored-bundle.ts";
import { makeVideo } from "./video.ts";

/**
 * Task kind `render`: a film or a still of a composition. Nothing that the page does reaches
 * beyond its own browser, and all of it ends with the task.
 *
 * Its failures begin with `invalid_composition:`, `media_unavailable:`, `render_timeout:`,
 * `out_of_memory:` or `internal:`.
 */
export function render(tools: RenderTools, objects: Objects, timeoutMs: number): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isRenderInput(input)) return refusedInput("render", isRenderInput.faults(input));
      if (tools.isolation.kind === "refused")
        return {
          kind: "failed",
          message: `internal: ${tools.isolation.sentence}`,
          retryable: false,
        };
      const late = AbortSignal.timeout(Math.ceil(timeoutMs * ownShare));
      const signal = AbortSignal.any([context.signal, late]);
      // One listener for each program and page of the render.
      setMaxListeners(0, signal);
      const own = { ...context, signal };
      try {
        return await withWorkspace((folder) => perform(tools, objects, input, own, folder));
      } catch (failure) {
        return late.aborted && !context.signal.aborted ? tooLong : outcomeOf(failure);
      }
    },
  };
}

async function perform(
  tools: RenderTools,
  objects: Objects,
  input: RenderInput,
  context: TaskContext,
  folder: string,
): Promise<TaskOutcome> {
  const warnings = new Warnings(limits.capture.warningsMax);
  const bundle = await StoredBundle.open(objects, input.manifestKey, input.assets);
  const stage: RenderStage = {
    tools,
    objects,
    input,
    context,
    folder,
    bundle,
    warnings,
    media: new MediaFiles(tools.media, objects, folder, context.signal),
    files: new PageFiles(bundle, tools.codeFolder, warnings),
  };
  const { output, details } = await (input.target === "still" ? makeStill : makeVideo)(stage);
  return { kind: "succeeded", outputs: [output], warnings: warnings.all(), details };
}

/** Of the task's time, after which the render says itself why it fails. */
const ownShare = 0.98;
const tooLong: TaskOutcome = {
  kind: "failed",
  message: "render_timeout: the render took longer than it may",
  retryable: false,
};

/** A bug passes through; the loop reports it. */
function outcomeOf(failure: unknown): TaskOutcome {
  if (failure instanceof RenderFault)
    return { kind: "failed", message: failure.message, retryable: failure.isRetryable };
  if (failure instanceof PortError)
    return {
      kind: "failed",
      message: `internal: ${failure.message}`,
      retryable: failure.retryable,
    };
  throw failure;
}
