import type { Id } from "../../engine/id.ts";
import type { FarmTask, RunFarmTask } from "../protocol/farm-task.ts";
import { findOwner, type Rows } from "../protocol/owner.ts";

/** Returns the effect that runs a farm task for context `scope`; `rows` are of its partition. */
export function runFarmTask(scope: Id, task: FarmTask, rows: Rows): RunFarmTask {
  return { kind: "farm.run", owner: findOwner(scope, rows), scope, task };
}
