/** What a farm node is given to do. */
import type { Task } from "../../engine/ports/tasks.ts";

/** What a farm node is to do; each attempt gets a token and a prefix of its own. */
export type FarmTask = Omit<Task, "token">;

/** Stored media that a worker reads. */
export interface Source {
  readonly objectKey: string;
  readonly mimeType: string;
}
