import type { Tally } from "../../engine/metrics/tally.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { WorkerOf } from "./task-loop.ts";

/** The same worker, whose tasks are counted by their kind and how they ended. */
export function countedWorker(
  kind: string,
  workerOf: WorkerOf,
  tally: Tally,
  clock: Clock,
): WorkerOf {
  return (objects) => {
    const worker = workerOf(objects);
    return {
      timeoutMs: worker.timeoutMs,
      async run(context) {
        const beganMs = clock.monotonicMs();
        const count = (outcome: string) => {
          const seconds = (clock.monotonicMs() - beganMs) / 1_000;
          tally.count("farm_tasks_total", { kind, outcome }).add();
          tally.histogram("farm_task_duration_seconds", { kind }).observe(seconds);
        };
        try {
          const outcome = await worker.run(context);
          count(context.signal.aborted ? "aborted" : outcome.kind);
          return outcome;
        } catch (fault) {
          count(context.signal.aborted ? "aborted" : "fault");
          throw fault;
        }
      },
    };
  };
}
