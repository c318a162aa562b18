/**
 * Drives jobs at their providers: submits each until it is accepted, reads its state until it has
 * ended, reports to the job's actor, and cancels.
 *
 *   unsent --accepted--> queued --> running --> ended, and forgotten here
 *     |  ^ busy or down: submitted again after 1 s, 2 s, 4 s ... 60 s
 *     '--> unknown: the request was sent, and no answer came
 *
 * 1. The calls for one job are made one after the other.
 * 2. The state comes from reads alone. A callback triggers a read; it is never the result.
 * 3. Nothing is kept beyond this thread: after a restart the outbox hands over each open job again.
 */
import { limits } from "../../config/limits.ts";
import type { IdMint } from "../../engine/id.ts";
import { type Key, partitionOf } from "../../engine/key.ts";
import type { Performance } from "../../engine/outbox.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import type { CancelAnswer, JobEffect, JobMessage, Outcome } from "../job/job.ts";
import type {
  Callback,
  Provider,
  ProviderFailure,
  ProviderRef,
  ProviderStatus,
  Submission,
  SubmitOutcome,
} from "../providers/provider.ts";

type ProviderSubmit = Extract<JobEffect, { kind: "provider.submit" }>;

export interface ProviderJobPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly ids: IdMint;
  readonly send: (to: Key, message: JobMessage) => void;
  /** An adapter threw; the call counts as failed. */
  readonly onFault: (job: Key, error: unknown) => void;
}

interface ProviderJob {
  readonly key: Key;
  readonly provider: Provider;
  readonly request: Pick<Submission, "job" | "modality" | "prompt" | "count">;
  stage:
    | { readonly kind: "unsent" | "unknown" }
    | { readonly kind: "queued" | "running"; readonly ref: ProviderRef };
  /** The latest call to the provider; the next one waits for it. */
  last: Promise<unknown>;
  submits: number;
  /** Consecutive. */
  failedReads: number;
  /** When a read first found it lost, while each read since has. */
  lostAtMs: number | undefined;
  stopTimer: () => void;
}

export class ProviderJobs {
  private readonly providers: ReadonlyMap<string, Provider>;
  private readonly ports: ProviderJobPorts;
  private readonly jobs = new Map<Key, ProviderJob>();

  constructor(providers: readonly Provider[], ports: ProviderJobPorts) {
    this.providers = new Map(providers.map((provider) => [provider.describe().name, provider]));
    this.ports = ports;
  }

  /** Effect `provider.submit`. A job that is under way already is left alone. */
  async submit(key: Key, effect: ProviderSubmit): Promise<Performance> {
    if (this.jobs.has(key)) return { kind: "kept" };
    const provider = this.providers.get(effect.provider);
    if (provider === undefined) {
      this.ports.send(key, { kind: "finished", outcome: unconfigured });
      return { kind: "concluded" };
    }
    const { job: id, modality, prompt, count } = effect;
    const job: ProviderJob = {
      key,
      provider,
      request: { job: id, modality, prompt, count },
      stage: { kind: "unsent" },
      last: settled,
      submits: 0,
      failedReads: 0,
      lostAtMs: undefined,
      stopTimer: () => {},
    };
    await this.submitOnce(job);
    return { kind: this.isOpen(job) ? "kept" : "concluded" };
  }

  /** Effect `provider.cancel`. A job that was not stopped is read until it has ended. */
  async cancel(key: Key): Promise<Performance> {
    const job = this.jobs.get(key);
    const answer = job && (await this.next(job, () => this.cancelOnce(job)));
    // Never sent, or over: there is nothing to stop.
    const message = { kind: "cancel_answer", answer: answer ?? { kind: "cancelled" } };
    return { kind: "concluded", message };
  }

  /**
   * Reads the job's state now. A callback that fails its verification, or names another job, is
   * ignored. Rejects with a `PortError` when it cannot be verified.
   */
  async receiveCallback(key: Key, callback: Callback): Promise<void> {
    const job = this.jobs.get(key);
    if (job === undefined || !("ref" in job.stage)) return;
    const { ref } = job.stage;
    const verdict = await job.provider.verifyCallback(callback, this.ports.clock.nowMs());
    if (verdict.ok && (verdict.ref ?? ref) === ref) await this.next(job, () => this.read(job, ref));
  }

  private async submitOnce(job: ProviderJob): Promise<void> {
    job.submits++;
    const outcome = await this.submitOutcome(job);
    switch (outcome.kind) {
      case "busy":
        this.tell(job, { kind: "detail", detail: "upstream_at_capacity" });
        return this.submitAgain(job, outcome.retryAfterMs);
      case "down":
        this.tell(job, { kind: "detail", detail: "provider_down" });
        return this.submitAgain(job);
      case "unknown":
        return this.leaveUnknown(job);
      case "refused":
        if (job.submits > 1) this.tell(job, { kind: "detail", detail: null });
        return this.end(job, failure(outcome, false));
      case "accepted": {
        const { ref, status } = outcome;
        if (job.submits > 1) this.tell(job, { kind: "detail", detail: null });
        job.stage = { kind: "queued", ref };
        if (!isOver(status)) this.tell(job, { kind: "accepted" });
        return this.act(job, ref, status);
      }
    }
  }

  /** An adapter that throws may have sent the request. */
  private async submitOutcome({
    key,
    provider,
    request,
    submits,
  }: ProviderJob): Promise<SubmitOutcome> {
    try {
      return await provider.submit({
        number: submits,
        ...request,
        ...{ model: "", input: {}, callbackUrl: undefined, timeLeftMs: 0, typicalSeconds: 1 },
      });
    } catch (error) {
      this.ports.onFault(key, error);
      return { kind: "unknown" };
    }
  }

  private submitAgain(job: ProviderJob, retryAfterMs?: number): void {
    const { retryMs, retryMaxMs } = limits.providers;
    const delayMs = retryAfterMs ?? retryMs * 2 ** (job.submits - 1);
    this.after(job, Math.min(retryMaxMs, delayMs), () => this.submitOnce(job));
  }

  /** Submitted again only where that cannot make a second job. */
  private leaveUnknown(job: ProviderJob): void {
    const { idempotentSubmit } = job.provider.describe();
    const hasLookUp = job.provider.lookUp !== undefined;
    job.stage = { kind: "unknown" };
    this.jobs.set(job.key, job);
    this.tell(job, { kind: "submitting", hasLookUp });
    if (idempotentSubmit) this.submitAgain(job);
  }

  private read(job: ProviderJob, ref: ProviderRef): Promise<void> {
    return this.act(job, ref, job.provider.status(ref));
  }

  /** Acts on a state. One that cannot be read is read again later. */
  private async act(
    job: ProviderJob,
    ref: ProviderRef,
    read: ProviderStatus | Promise<ProviderStatus>,
  ): Promise<void> {
    try {
      const status = await read;
      const outcome = await this.outcomeOf(job, ref, status);
      if (job.failedReads > 0) this.tell(job, { kind: "detail", detail: null });
      job.failedReads = 0;
      if (status.state !== "lost") job.lostAtMs = undefined;
      if (outcome !== undefined) this.end(job, outcome);
      else this.readAgain(job, ref, status);
    } catch (error) {
      this.ports.onFault(job.key, error);
      this.readAfterFailure(job, ref);
    }
  }

  private async outcomeOf(
    job: ProviderJob,
    ref: ProviderRef,
    status: ProviderStatus,
  ): Promise<Outcome | undefined> {
    switch (status.state) {
      case "queued":
      case "running":
        return undefined;
      case "succeeded": {
        const { files } = await job.provider.result(ref);
        const partition = partitionOf(job.key);
        const outputs = files.flatMap((file) => {
          if (file.kind !== "stored") return [];
          return [{ asset: this.ports.ids.under(partition), media: file.media }];
        });
        return { kind: "succeeded", outputs };
      }
      case "failed":
        return failure(status, status.atOutput);
      case "canceled": {
        const message = "The provider canceled this generation.";
        return failure({ ...status, class: "upstream", message }, true);
      }
      case "lost": {
        const nowMs = this.ports.clock.monotonicMs();
        job.lostAtMs ??= nowMs;
        return nowMs - job.lostAtMs >= limits.providers.lostAgainMs ? lost : undefined;
      }
    }
  }

  /** Reports the progress of a job that has not ended, and schedules the next read. */
  private readAgain(job: ProviderJob, ref: ProviderRef, status: ProviderStatus): void {
    if (status.state === "running") {
      const { progress } = status;
      if (job.stage.kind !== "running") this.tell(job, { kind: "started" });
      job.stage = { kind: "running", ref };
      if (progress !== undefined) this.tell(job, { kind: "progress", progress });
    }
    const delayMs =
      job.lostAtMs === undefined
        ? this.readDelayMs(job)
        : job.lostAtMs + limits.providers.lostAgainMs - this.ports.clock.monotonicMs();
    this.after(job, delayMs, () => this.read(job, ref));
  }

  /** Jitter makes reads early, never late; it spreads the reads of jobs that began together. */
  private readDelayMs({ provider }: ProviderJob): number {
    const { readMs, callbackReadMs, readJitter } = limits.providers;
    const intervalMs = provider.describe().callback === "none" ? readMs : callbackReadMs;
    const share = (this.ports.entropy.bytes(1)[0] ?? 0) / 255;
    return intervalMs * (1 - readJitter * share);
  }

  private readAfterFailure(job: ProviderJob, ref: ProviderRef): void {
    const { readMs, retryMaxMs } = limits.providers;
    const delayMs = Math.min(retryMaxMs, readMs * 2 ** job.failedReads);
    job.failedReads++;
    this.tell(job, { kind: "detail", detail: "provider_down" });
    this.after(job, delayMs, () => this.read(job, ref));
  }

  private async cancelOnce(job: ProviderJob): Promise<CancelAnswer> {
    const answer = await this.cancelAnswer(job);
    const isStopped = answer.kind === "cancelled" || answer.kind === "stopped_partway";
    if (isStopped || job.stage.kind === "unknown") this.forget(job);
    return answer;
  }

  private async cancelAnswer({ key, provider, stage }: ProviderJob): Promise<CancelAnswer> {
    switch (stage.kind) {
      case "unsent":
        return { kind: "cancelled" };
      case "unknown":
        return { kind: "failed" };
      case "queued":
      case "running": {
        const { cancel } = provider.describe();
        const isOffered = cancel === "any" || (cancel === "queued_only" && stage.kind === "queued");
        if (!isOffered) return { kind: "unsupported" };
        try {
          return await provider.cancel(stage.ref);
        } catch (error) {
          this.ports.onFault(key, error);
          return { kind: "failed" };
        }
      }
    }
  }

  private tell({ key }: ProviderJob, message: JobMessage): void {
    this.ports.send(key, message);
  }

  private end(job: ProviderJob, outcome: Outcome): void {
    this.forget(job);
    this.tell(job, { kind: "finished", outcome });
  }

  private forget(job: ProviderJob): void {
    job.stopTimer();
    this.jobs.delete(job.key);
  }

  private isOpen(job: ProviderJob): boolean {
    return this.jobs.get(job.key) === job;
  }

  /** Replaces the call that was scheduled before. */
  private after(job: ProviderJob, delayMs: number, call: () => Promise<void>): void {
    this.jobs.set(job.key, job);
    job.stopTimer();
    job.stopTimer = this.ports.clock.after(delayMs, () => void this.next(job, call));
  }

  /** Resolves to undefined, without a call, when the job is over by then. */
  private next<Answer>(job: ProviderJob, call: () => Promise<Answer>): Promise<Answer | undefined> {
    const answer = job.last.then(() => (this.isOpen(job) ? call() : undefined));
    job.last = answer;
    return answer;
  }
}

const settled = Promise.resolve();

function isOver({ state }: ProviderStatus): boolean {
  return state === "succeeded" || state === "failed" || state === "canceled";
}

function failure(
  { class: why, message, billed = false }: ProviderFailure,
  atOutput: boolean,
): Outcome {
  return { kind: "failed", class: why, message, atOutput, billed };
}

const lost = failure({ class: "upstream", message: "The provider lost this generation." }, false);

const unconfigured = failure(
  { class: "upstream", message: "The provider of this model is not configured any more." },
  false,
);
