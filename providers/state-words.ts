/** Maps the names that providers give to job states, for all adapters. */

export type JobState = "queued" | "running" | "succeeded" | "failed" | "canceled";

/** An unknown name counts as running: the job is polled until its deadline. */
export function readState(word: string): JobState {
  return states.get(word.toLowerCase()) ?? "running";
}

const states: ReadonlyMap<string, JobState> = new Map([
  ...name("queued", "queued", "in_queue", "pending", "starting"),
  ...name("succeeded", "succeeded", "success", "completed"),
  ...name("failed", "failed", "failure", "error", "expired"),
  ...name("canceled", "canceled", "cancelled", "aborted"),
]);

function name(state: JobState, ...words: readonly string[]): (readonly [string, JobState])[] {
  return words.map((word) => [word, state]);
}
