/** Work on designs that may take long and therefore runs on a thread that can be ended. */
import { type FigmaFrame, type FrameTask, readFrame } from "./figma-frame.ts";
import { type Insertion, type InsertTask, insertLayers } from "./figma-insertion.ts";

export type FigmaTask =
  | ({ readonly kind: "read" } & FrameTask)
  | ({ readonly kind: "insert" } & InsertTask);

export type FigmaResult = FigmaFrame | Insertion;

/** Runs a task. Throws `SyntaxError` for an answer that is not JSON. */
export function runFigmaTask(task: FigmaTask): FigmaResult {
  return task.kind === "read" ? readFrame(task) : insertLayers(task);
}
