/** Writes a job as a prediction of Replicate or cog. */
import { failureTexts, runningTime, type SimulatedJob } from "./simulated-jobs.ts";

const states = {
  queued: "starting",
  running: "processing",
  succeeded: "succeeded",
  failed: "failed",
  canceled: "canceled",
} as const;

export function asPrediction(job: SimulatedJob, output: unknown): object {
  const { id, input, state, scenario, createdAtMs, startedAtMs, endedAtMs } = job;
  const seconds = runningTime(job);
  const total = endedAtMs === undefined ? undefined : (endedAtMs - createdAtMs) / 1000;
  const { ending } = scenario;
  const word = ending === "nsfw_output" || ending === "ip_output" ? ending : "fail";
  return {
    id,
    input,
    status: states[state],
    output: state === "succeeded" ? output : null,
    error: state === "failed" ? failureTexts[word] : null,
    logs: startedAtMs === undefined ? "" : "Using seed 7\n",
    metrics: seconds === undefined ? {} : { predict_time: seconds, total_time: total },
    created_at: timeText(createdAtMs),
    started_at: timeText(startedAtMs),
    completed_at: timeText(endedAtMs),
  };
}

function timeText(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
