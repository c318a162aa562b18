import type { TaskContext } from "../../render-farm/node/task-loop.ts";
import { ownParts } from "../../render-farm/node/task-parts.ts";

/** A task's context on a farm of one node without a console. */
export const alone: Pick<TaskContext, "split" | "join" | "reportThumbnail"> = {
  split: (parts) => ({ ...ownParts(parts), onMade: () => undefined }),
  join: () => ownParts(0),
  reportThumbnail: () => undefined,
};
