/** What operators learn of jobs that have not ended or are not settled. */
import { type Modality, modalities } from "../../config/modalities.ts";
import { gauge, type Sample } from "../../engine/metrics/tally.ts";
import type { Job } from "../protocol/job.ts";

const states = ["queued", "running"] as const;

/** Sums over the job heads of one shard. */
export class OpenJobs {
  private readonly active = modalities.flatMap((modality) =>
    states.map((state) => ({ modality, state, jobs: 0 })),
  );
  private held = 0;

  add(job: Job): void {
    const { modality, hold } = job.terms;
    if (job.phase === "queued" || job.phase === "running") this.countActive(modality, job.phase);
    else if (job.phase !== "canceled" || job.settlement.kind === "settled") return;
    this.held += hold;
  }

  samples(): Sample[] {
    const active = this.active.map(({ modality, state, jobs }) =>
      gauge("jobs_active", { modality, state }, jobs),
    );
    return [...active, gauge("credits_held", {}, this.held)];
  }

  private countActive(modality: Modality, state: (typeof states)[number]): void {
    const place = modalities.indexOf(modality) * states.length + states.indexOf(state);
    const entry = this.active[place];
    if (entry !== undefined) entry.jobs++;
  }
}
