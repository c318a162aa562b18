import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { refuseInput, type TaskWorker } from "../node/task-loop.ts";
import { makeVideo } from "./film/video.ts";
import { isRenderInput } from "./render-input.ts";
import { onStage, type Studio } from "./staging.ts";
import { makeStill } from "./still.ts";

/**
 * Task kind `render`: a film or a still of a composition. Nothing that the page does reaches
 * beyond its own browser, and all of it ends with the task.
 *
 * Its failures begin with `invalid_composition:`, `media_unavailable:`, `render_timeout:`,
 * `out_of_memory:` or `internal:`.
 */
export function render(studio: Studio): TaskWorker {
  return {
    timeoutMs: studio.timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isRenderInput(input)) return refuseInput("render", isRenderInput.faults(input));
      return onStage(studio, input, context, async (stage) => {
        const { output, details } = await (input.target === "still" ? makeStill : makeVideo)(stage);
        const warnings = stage.warnings.all();
        return { kind: "succeeded", outputs: [output], warnings, details };
      });
    },
  };
}
