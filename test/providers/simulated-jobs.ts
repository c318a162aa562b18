/**
 * The jobs of one simulator. A job's life follows the words of its prompt:
 *
 *   queued --sim:queue--> running --sim:slow--> succeeded, failed, or lost without a trace
 *      '--------------------'--cancel--> canceled
 */

import type { Modality } from "../../config/modalities.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { parseScenario, type Scenario } from "../../providers/simulated/scenario.ts";

export interface SimulatedJob {
  readonly id: string;
  readonly scenario: Scenario;
  /** The scenario word after `hostile:`. */
  readonly hostile: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly webhook: string | undefined;
  readonly modality: Modality;
  readonly count: number;
  readonly createdAtMs: number;
  state: "queued" | "running" | "succeeded" | "failed" | "canceled";
  startedAtMs?: number;
  endedAtMs?: number;
  stopTimer: () => void;
}

export interface JobEvents {
  onStart?(job: SimulatedJob): void;
  /** Called when a job has ended; not called for a job that is lost. */
  onEnd(job: SimulatedJob): void;
}

type Born = Pick<SimulatedJob, "id" | "input" | "webhook" | "modality">;

export class SimulatedJobs {
  private readonly clock: Clock;
  private readonly events: JobEvents;
  private readonly jobs = new Map<string, SimulatedJob>();
  private readonly submits = new Map<string, number>();

  constructor(clock: Clock, events: JobEvents) {
    this.clock = clock;
    this.events = events;
  }

  get(id: string | undefined): SimulatedJob | undefined {
    return id === undefined ? undefined : this.jobs.get(id);
  }

  /** Stops all jobs: none of them goes on. */
  close(): void {
    for (const job of this.jobs.values()) job.stopTimer();
  }

  values(): readonly SimulatedJob[] {
    return [...this.jobs.values()];
  }

  /** Whether the server is down or busy for this submit; counts the submits of each job. */
  admit(input: SimulatedJob["input"], webhook: string | undefined): "down" | "busy" | "taken" {
    const { down, busy } = parseScenario(makePrompt(input));
    const job = webhook === undefined ? null : new URL(webhook).searchParams.get("job");
    const key = job ?? JSON.stringify(input);
    const number = (this.submits.get(key) ?? 0) + 1;
    this.submits.set(key, number);
    if (number <= down) return "down";
    return number <= down + busy ? "busy" : "taken";
  }

  begin(born: Born): SimulatedJob {
    const prompt = makePrompt(born.input);
    const job: SimulatedJob = {
      ...born,
      scenario: parseScenario(prompt),
      hostile: /(?<=^|\s)hostile:([a-z]+)/.exec(prompt)?.[1],
      count: getCount(born.input),
      createdAtMs: this.clock.nowMs(),
      state: "queued",
      stopTimer: () => undefined,
    };
    this.jobs.set(job.id, job);
    this.after(job, job.scenario.queueMs, () => this.start(job));
    return job;
  }

  cancel(job: SimulatedJob): void {
    job.stopTimer();
    this.end(job, "canceled");
  }

  /** Removes a job; nothing is known of it afterwards. */
  remove(job: SimulatedJob): void {
    this.cancel(job);
    this.jobs.delete(job.id);
  }

  /** Ends a job as if its time had passed. */
  finishNow(job: SimulatedJob): void {
    job.stopTimer();
    if (job.state === "queued") this.start(job);
    job.stopTimer();
    this.finish(job);
  }

  private start(job: SimulatedJob): void {
    job.state = "running";
    job.startedAtMs = this.clock.nowMs();
    this.events.onStart?.(job);
    this.after(job, job.scenario.slowMs, () => this.finish(job));
  }

  private finish(job: SimulatedJob): void {
    const { ending } = job.scenario;
    if (ending === "lost") this.jobs.delete(job.id);
    else this.end(job, ending === "succeed" ? "succeeded" : "failed");
  }

  private end(job: SimulatedJob, state: SimulatedJob["state"]): void {
    job.state = state;
    job.endedAtMs = this.clock.nowMs();
    this.events.onEnd(job);
  }

  /** Runs `then` after a delay, and even without one after the answer to the submit. */
  private after(job: SimulatedJob, delayMs: number, then: () => void): void {
    job.stopTimer = this.clock.after(delayMs, then);
  }
}

export function makePrompt(input: SimulatedJob["input"]): string {
  return [input["prompt"], input["text"]].filter((text) => typeof text === "string").join(" ");
}

/** Returns how long a job ran, in seconds. */
export function runningTime({ startedAtMs, endedAtMs }: SimulatedJob): number | undefined {
  if (startedAtMs === undefined || endedAtMs === undefined) return undefined;
  return (endedAtMs - startedAtMs) / 1000;
}

/** Returns the modality that a model makes, by the model's name. */
export function getModality(model: string): Modality {
  if (/video/.test(model)) return "video";
  if (/audio|speech|music|kokoro/.test(model)) return "audio";
  return /3d|mesh|trellis/.test(model) ? "three_d" : "image";
}

function getCount(input: SimulatedJob["input"]): number {
  const given = input["num_images"] ?? input["num_outputs"] ?? input["n"];
  return typeof given === "number" && given >= 1 && given <= 24 ? Math.floor(given) : 1;
}

/** Failure texts of models, by the scenario word that requests the failure. */
export const failureTexts = {
  fail: "The worker ran out of memory.",
  nsfw: "NSFW content detected.",
  nsfw_output: "NSFW content detected in the output.",
  ip: "Flagged as sensitive: likeness of a public figure.",
  ip_output: "The output was flagged as sensitive: likeness of a public figure.",
} as const;
