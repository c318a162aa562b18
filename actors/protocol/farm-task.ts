/** What a farm node is given to do, and the effect that asks for it. */
import type { Id } from "../../engine/id.ts";
import type { Task } from "../../engine/ports/tasks.ts";

/** What a farm node is to do; each attempt gets a token and a prefix of its own. */
export type FarmTask = Omit<Task, "token">;

/** Stored media that a worker reads. */
export interface Source {
  readonly objectKey: string;
  readonly mimeType: string;
}

/** Kept until the task has ended, however many attempts that takes. */
export interface RunFarmTask {
  readonly kind: "farm.run";
  /** The account that answers for the work, by which the farm shares its nodes. */
  readonly owner: Id;
  readonly scope: Id;
  readonly task: FarmTask;
}
