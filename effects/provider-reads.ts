/**
 * Learns the end of a job at its provider by reads alone, at intervals and after a callback. The
 * results of a successful job are stored in the object store.
 */

import type { Outcome } from "../actors/protocol/job.ts";
import { limits } from "../config/limits.ts";
import type { IdMint } from "../engine/id.ts";
import { getPartition } from "../engine/key.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Entropy } from "../engine/ports/entropy.ts";
import type { ProviderResult, ProviderStatus } from "../providers/provider.ts";
import { cancelAtProvider } from "./provider-cancels.ts";
import type { ProviderJob } from "./provider-job.ts";
import { failure } from "./provider-outcomes.ts";
import { type Doubt, judge, lost, type ReadFault } from "./read-faults.ts";
import { isInStore, type StoreStreams } from "./result-streams.ts";

export interface ReadPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly ids: IdMint;
  readonly storeStreams: StoreStreams;
}

export class ProviderReads {
  private readonly ports: ReadPorts;

  constructor(ports: ReadPorts) {
    this.ports = ports;
  }

  /** Reads the job's state now, and again until it has ended. */
  read(job: ProviderJob, ref: string): Promise<void> {
    return this.act(job, ref, job.at.provider.status(ref));
  }

  /** Acts on a state. `read-faults.ts` decides what a failed read means. */
  async act(
    job: ProviderJob,
    ref: string,
    read: ProviderStatus | Promise<ProviderStatus>,
  ): Promise<void> {
    try {
      const status = await read;
      job.at.gate?.onSuccess();
      job.tellDetail(null);
      if (!job.isOpen) return;
      if (status.state === "lost") return this.suffer(job, ref, lost);
      if (status.state === "succeeded") await this.deliver(job, ref);
      job.failedReads = 0;
      job.doubtedAtMs = undefined;
      if (status.state === "succeeded") return;
      const outcome = this.awaitOutcome(job, status);
      if (outcome !== undefined) this.end(job, outcome);
      else this.readAgain(job, ref, status);
    } catch (error) {
      job.fault(error);
      if (job.isOpen) this.suffer(job, ref, judge(error, this.ports.clock.nowMs()));
    }
  }

  private suffer(job: ProviderJob, ref: string, fault: ReadFault): void {
    switch (fault.kind) {
      case "again":
        job.at.gate?.onFailure();
        this.readAfterFailure(job, ref, fault.retryAfterMs);
        break;
      case "ended":
        this.end(job, fault.outcome);
        break;
      case "doubted":
        this.doubt(job, ref, fault);
    }
  }

  private doubt(job: ProviderJob, ref: string, { outcome, goesOn }: Doubt): void {
    const nowMs = this.ports.clock.monotonicMs();
    job.doubtedAtMs ??= nowMs;
    const leftMs = job.doubtedAtMs + limits.providers.lostAgainMs - nowMs;
    if (leftMs > 0) job.after(leftMs, () => this.read(job, ref));
    else {
      if (goesOn) void cancelAtProvider(job);
      this.end(job, outcome);
    }
  }

  end(job: ProviderJob, outcome: Outcome): void {
    job.close();
    job.tell({ kind: "finished", outcome });
  }

  /** Stores the results; of a canceled job only the end counts. */
  private async deliver(job: ProviderJob, ref: string): Promise<void> {
    if (job.isCanceled) return this.end(job, { kind: "succeeded", outputs: [] });
    const { provider, results } = job.at;
    const result = await provider.result(ref);
    if (!job.isOpen) return;
    if (result.files.every(isInStore)) return this.end(job, this.deliverResult(job, result));
    const { files, enhancedPrompt } = result;
    if (files.some(({ kind }) => kind === "stream")) job.tell({ kind: "delivering" });
    job.stage = { kind: "delivering", ref };
    const stored = await this.ports.storeStreams(job.task.job, files, results.bytesMax);
    if (!job.isOpen) return;
    const { ownOrigins, allowedHosts, allowPrivate, bytesMax } = results;
    const { modality } = job.task;
    const bounds = { ownOrigins, allowedHosts, allowPrivate, bytesMax };
    const input = { modality, files: stored, bounds };
    job.tell({
      kind: "delivering",
      input,
      ...(enhancedPrompt === undefined ? {} : { enhancedPrompt }),
    });
  }

  private deliverResult({ key }: ProviderJob, { files }: ProviderResult): Outcome {
    const partition = getPartition(key);
    const outputs = files
      .filter(isInStore)
      .map(({ media }) => ({ asset: this.ports.ids.under(partition), media }));
    return { kind: "succeeded", outputs };
  }

  private awaitOutcome(
    job: ProviderJob,
    status: Exclude<ProviderStatus, { state: "succeeded" | "lost" }>,
  ): Outcome | undefined {
    switch (status.state) {
      case "queued":
      case "running":
        return undefined;
      case "failed":
        return failure(status, status.atOutput, job.model);
      case "canceled": {
        const message = "The provider canceled this generation.";
        return failure({ ...status, class: "upstream", message }, true, job.model);
      }
    }
  }

  /** Reports the progress of a job that has not ended, and plans the next read. */
  private readAgain(job: ProviderJob, ref: string, status: ProviderStatus): void {
    if (status.state === "running") {
      const { progress } = status;
      if (job.stage.kind !== "running") job.tell({ kind: "started" });
      job.stage = { kind: "running", ref };
      if (progress !== undefined) job.tell({ kind: "progress", progress });
    }
    job.after(this.readDelayMs(job), () => this.read(job, ref));
  }

  /**
   * Jitter spreads the reads of jobs that began together. Reads are early, never late, except where
   * a callback is expected: it may come before a late read and make it needless.
   */
  private readDelayMs(job: ProviderJob): number {
    const { readMs, callbackReadMs, readJitter } = limits.providers;
    const jitter = readJitter * ((this.ports.entropy.bytes(1)[0] ?? 0) / 255);
    return job.hasCallback ? callbackReadMs * (1 + jitter) : readMs * (1 - jitter);
  }

  private readAfterFailure(job: ProviderJob, ref: string, retryAfterMs: number): void {
    const { readMs, retryMaxMs } = limits.providers;
    const ownMs = Math.min(retryMaxMs, readMs * 2 ** job.failedReads);
    job.failedReads++;
    job.tellDetail("provider_down");
    job.after(job.pauseMs(ownMs, retryAfterMs), () => this.read(job, ref));
  }
}
