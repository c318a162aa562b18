/** The thread that computes timelines: no state, so it may be ended at any time. */
import { type TimelineRound, type TimelineTask, timelineRound } from "./timeline-round.ts";

export function run(task: TimelineTask): TimelineRound {
  return timelineRound(task);
}
