/** Tasks for farm nodes, and the effect that requests one. */
import type { Id } from "../../engine/id.ts";
import type { Task } from "../../engine/ports/tasks.ts";

/** A task for a farm node; each attempt gets its own token and its own object prefix. */
export type FarmTask = Omit<Task, "token">;

/** Stored media that a worker reads. */
export interface Source {
  readonly objectKey: string;
  readonly mimeType: string;
}

/** Runs a task on the farm; it is kept until it has ended, however many attempts that takes. */
export interface RunFarmTask {
  readonly kind: "farm.run";
  /** Account responsible for the work; the farm shares its nodes among these accounts. */
  readonly owner: Id;
  readonly scope: Id;
  readonly task: FarmTask;
}
