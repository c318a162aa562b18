import type { Tally } from "../../engine/metrics/tally.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Traces } from "../../engine/ports/traces.ts";
import type { WorkerOf } from "./task-loop.ts";

export interface Observers {
  readonly tally: Tally;
  readonly clock: Clock;
  /** Name of the node. */
  readonly node: string;
  readonly traces: Traces | undefined;
}

/**
 * Wraps a worker: counts its tasks by kind and outcome, and records spans for tasks of clients that
 * trace.
 */
export function countWork(
  kind: string,
  workerOf: WorkerOf,
  { tally, clock, node, traces }: Observers,
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
          const endMs = clock.nowMs();
          if (context.trace === undefined) return;
          traces?.record({
            name: `farm ${kind}`,
            kind: "internal",
            parent: context.trace,
            startMs: endMs - seconds * 1_000,
            endMs,
            isFailed: outcome !== "succeeded",
            attributes: { "klieg.farm.node": node, "klieg.outcome": outcome },
          });
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
