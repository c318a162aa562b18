/**
 * How a job gets to its provider, and no job gets there twice (I8).
 *
 * 1. A provider outside this process is sent nothing before the mark that it may have been sent is
 *    durable in the job.
 * 2. What was sent and not answered is sent again only if the provider's protocol makes one job of
 *    both, or a look-up proves that it never arrived.
 * 3. Reads begin when the provider's name of the job is durable.
 */

import type { ProviderTask } from "../actors/protocol/job.ts";
import { omitUndefined } from "../config/defined.ts";
import { limits } from "../config/limits.ts";
import { PortError } from "../engine/ports/port-error.ts";
import type { LookUp, ProviderStatus, SubmitOutcome } from "../providers/provider.ts";
import type { ProviderJob } from "./provider-job.ts";
import { failure } from "./provider-outcomes.ts";
import type { ProviderReads } from "./provider-reads.ts";

/** Prepared data of one submission: the filled-in mapping, and the callback's URL. */
export interface Prepared {
  readonly input: Readonly<Record<string, unknown>>;
  /** The `provider_model` of the catalogue entry. */
  readonly model: string;
  readonly callbackUrl: string | undefined;
}

/** Rejects with a `PortError`; one that is not retryable ends the job with its message. */
export type Prepare = (job: ProviderJob) => Promise<Prepared>;

export class ProviderSubmits {
  private readonly prepare: Prepare;
  private readonly reads: ProviderReads;
  private readonly move: (job: ProviderJob) => void;

  /** `move` is called with jobs that were not sent when their provider's entry changed. */
  constructor(prepare: Prepare, reads: ProviderReads, move: (job: ProviderJob) => void) {
    this.prepare = prepare;
    this.reads = reads;
    this.move = move;
  }

  /** Submits when the provider has room. Resolves when there is nothing to do but wait. */
  async begin(job: ProviderJob): Promise<void> {
    const { gate } = job.at;
    if (gate === undefined) return this.send(job, ++job.submits);
    job.stage = { kind: "waiting" };
    gate.request({
      key: job.key,
      model: job.task.model ?? "",
      modelMax: job.model.maxInFlight,
      admit: () => this.mark(job),
      wait: (detail) => job.tellDetail(detail),
      move: () => this.move(job),
    });
  }

  /** Sends the submission, whose mark is durable. */
  async send(job: ProviderJob, number: number): Promise<void> {
    job.stage = { kind: "sending" };
    const outcome = await this.awaitOutcome(job, number);
    if (job.isOpen) await this.act(job, outcome);
  }

  /** Handles a job that may have been sent before this thread began. */
  async reconcile(job: ProviderJob): Promise<void> {
    const { provider } = job.at;
    job.stage = { kind: "unknown" };
    if (provider.describe().idempotentSubmit)
      return job.after(this.pauseMs(job), () => this.send(job, job.submits));
    if (provider.lookUp !== undefined) return job.after(this.pauseMs(job), () => this.lookUp(job));
    const { unansweredMs } = limits.providers;
    const patienceMs = Math.max(unansweredMs, 3_000 * job.model.typicalSeconds);
    if (job.hasCallback) job.after(patienceMs, async () => job.tell({ kind: "unanswered" }));
    else job.tell({ kind: "unanswered" });
  }

  /** Handles a job that the provider has accepted. */
  onAccepted(job: ProviderJob, ref: string, status: ProviderStatus): void | Promise<void> {
    const { isInProcess } = job.at.provider.describe();
    job.at.gate?.onSuccess();
    job.refusals = 0;
    job.tellDetail(null);
    if (isInProcess) {
      job.stage = { kind: "queued", ref };
      if (!isOver(status)) job.tell({ kind: "accepted", ref });
      return this.reads.act(job, ref, status);
    }
    job.stage = { kind: "accepting", ref, status };
    job.tell({ kind: "accepted", ref });
  }

  private mark(job: ProviderJob): void {
    job.stage = { kind: "marking" };
    const hasLookUp = job.at.provider.lookUp !== undefined;
    job.tell({ kind: "submitting", number: job.submits + 1, hasLookUp });
  }

  /** Awaits the outcome. An adapter that throws may have sent the request. */
  private async awaitOutcome(job: ProviderJob, number: number): Promise<SubmitOutcome> {
    const { task, at, model } = job;
    let prepared: Prepared;
    try {
      prepared = await this.prepare(job);
    } catch (error) {
      job.fault(error);
      const isFinal = error instanceof PortError && !error.retryable;
      const message = isFinal ? error.message : "";
      return isFinal ? { kind: "refused", class: "upstream", message } : { kind: "down" };
    }
    try {
      return await at.provider.submit({
        ...getGivenTo(task),
        ...prepared,
        number,
        timeLeftMs: model.deadlineSeconds * 1000,
        typicalSeconds: model.typicalSeconds,
        ...omitUndefined({ expectedUnits: model.expectedUnits }),
      });
    } catch (error) {
      job.fault(error);
      return { kind: "unknown" };
    }
  }

  private act(job: ProviderJob, outcome: SubmitOutcome): void | Promise<void> {
    const { gate } = job.at;
    switch (outcome.kind) {
      case "busy":
        gate?.onSuccess();
        job.tellUnsent("upstream_at_capacity");
        return this.beginAgain(job, outcome.retryAfterMs);
      case "down":
        gate?.onFailure();
        job.tellUnsent("provider_down");
        return this.beginAgain(job, outcome.retryAfterMs);
      case "unknown":
        if (gate === undefined)
          job.tell({ kind: "submitting", number: job.submits, hasLookUp: true });
        if (isRef(job.called?.ref))
          return this.onAccepted(job, job.called.ref, { state: "queued" });
        return this.reconcile(job);
      case "refused":
        gate?.onSuccess();
        job.tellDetail(null);
        return this.reads.end(job, failure(outcome, false, job.model));
      case "accepted":
        return this.onAccepted(job, outcome.ref, outcome.status);
    }
  }

  private beginAgain(job: ProviderJob, retryAfterMs = 0): void {
    job.stage = { kind: "waiting" };
    job.at.gate?.leave(job.key);
    job.after(job.pauseMs(this.pauseMs(job), retryAfterMs), () => this.begin(job));
  }

  /** Returns the next delay: 1 s, 2 s, 4 s ... 60 s. */
  private pauseMs(job: ProviderJob): number {
    const { retryMs, retryMaxMs } = limits.providers;
    return Math.min(retryMaxMs, retryMs * 2 ** job.refusals++);
  }

  private async lookUp(job: ProviderJob): Promise<void> {
    const found = await this.lookUpSubmission(job);
    if (!job.isOpen) return;
    switch (found.kind) {
      case "found":
        return this.onAccepted(job, found.ref, found.status);
      case "absent":
        // The shard's previous node may have sent a submit that is still on its way.
        if (job.isPerhapsUnderWay)
          return job.after(limits.providers.readMs, () => this.lookUp(job));
        job.tellUnsent("provider_down");
        if (job.isCanceled) return job.close();
        return this.beginAgain(job);
      case "unknown":
        job.after(this.pauseMs(job), () => this.lookUp(job));
    }
  }

  private async lookUpSubmission(job: ProviderJob): Promise<LookUp> {
    const { provider, gate } = job.at;
    try {
      const found = await provider.lookUp?.(job.task.job);
      gate?.onSuccess();
      return found ?? { kind: "unknown" };
    } catch (error) {
      job.fault(error);
      gate?.onFailure();
      return { kind: "unknown" };
    }
  }
}

/** Whether a callback's name of its job is short enough to be stored. */
export function isRef(called: string | undefined): called is string {
  return called !== undefined && called.length <= limits.providers.refMax;
}

function getGivenTo({ job, modality, prompt, count }: ProviderTask) {
  return { job, modality, prompt, count };
}

function isOver({ state }: ProviderStatus): boolean {
  return state === "succeeded" || state === "failed" || state === "canceled";
}
