/** The thread that reads designs: no state, so it may be ended at any time. */
import { type FigmaResult, type FigmaTask, runFigmaTask } from "../figma/figma-task.ts";

export function run(task: FigmaTask): FigmaResult {
  return runFigmaTask(task);
}
