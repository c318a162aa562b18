/** What a provider's word for the state of a job means, for all of them. */

export type JobState = "queued" | "running" | "succeeded" | "failed" | "canceled";

/** A word that is not known is read as running: the job is asked for again until its deadline. */
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
