/**
 * The jobs that are at providers: carries out what their actors want there, takes callbacks, and
 * answers what operators ask. How a job is submitted and read: `provider-submits.ts` and
 * `provider-reads.ts`.
 *
 * 1. The calls for one job are made one after the other.
 * 2. The state comes from reads alone. A callback triggers a read; it is never the result.
 * 3. Nothing is kept beyond this thread: after a restart the outbox hands over each open job again.
 */
import { createHash } from "node:crypto";
import type { CancelAnswer, JobEffect, ProviderTask } from "../actors/protocol/job.ts";
import { omitUndefined } from "../config/defined.ts";
import { limits } from "../config/limits.ts";
import type { Key } from "../engine/key.ts";
import type { Performance } from "../engine/outbox.ts";
import { PortError } from "../engine/ports/port-error.ts";
import type { Callback, CalledJob } from "../providers/provider.ts";
import { cancelAtProvider } from "./provider-cancels.ts";
import {
  type ConfiguredProvider,
  type JobPorts,
  type ModelAtProvider,
  ProviderJob,
} from "./provider-job.ts";
import { endUpstream } from "./provider-outcomes.ts";
import { ProviderReads, type ReadPorts } from "./provider-reads.ts";
import { isRef, type Prepare, ProviderSubmits } from "./provider-submits.ts";

type Effect<Kind extends JobEffect["kind"]> = Extract<JobEffect, { kind: Kind }>;

export interface ProviderJobPorts extends JobPorts, ReadPorts {
  readonly prepare: Prepare;
  /** Finds a provider; resolves to undefined when it is no longer configured. */
  readonly find: (provider: string) => Promise<ConfiguredProvider | undefined>;
  /** Returns undefined when the model is no longer in the catalogue. */
  readonly terms: (model: string) => ModelAtProvider | undefined;
}

export type CallbackAnswer = "accepted" | "ignored" | "forged" | "refused";

export class ProviderJobs {
  private readonly ports: ProviderJobPorts;
  private readonly reads: ProviderReads;
  private readonly submits: ProviderSubmits;
  private readonly jobs = new Map<Key, ProviderJob>();

  constructor(ports: ProviderJobPorts) {
    this.ports = ports;
    this.reads = new ProviderReads(ports);
    this.submits = new ProviderSubmits(ports.prepare, this.reads, (job) => this.move(job));
  }

  /** Effect `provider.submit`: submits the job to its provider. */
  async submit(key: Key, task: ProviderTask): Promise<Performance> {
    const known = this.jobs.get(key);
    if (known !== undefined) return this.repeat(known, task);
    const job = await this.add(key, task);
    if (job === undefined) return { kind: "concluded" };
    await job.next(() => this.submits.begin(job));
    return { kind: job.isOpen ? "kept" : "concluded" };
  }

  /** Effect `provider.send`: the mark is durable, so the submit may go out. */
  async send(key: Key, { number }: Effect<"provider.send">): Promise<Performance> {
    const job = this.jobs.get(key);
    if (job?.stage.kind !== "marking") return { kind: "concluded" };
    job.submits = number;
    job.called = undefined;
    await job.next(() => this.submits.send(job, number));
    return { kind: job.isOpen ? "kept" : "concluded" };
  }

  /** Effect `provider.follow`: the provider's name of the job is durable, so it can be read. */
  follow(key: Key): Performance {
    const job = this.jobs.get(key);
    if (job?.stage.kind !== "accepting") return { kind: "concluded" };
    const { ref, status } = job.stage;
    job.stage = { kind: "queued", ref };
    if (job.called !== undefined) this.readSoon(job, ref);
    else void job.next(async () => this.reads.act(job, ref, status));
    return { kind: "kept" };
  }

  /** Effect `provider.resume`: follows a job that may already be at the provider. */
  async resume(key: Key, task: Effect<"provider.resume">): Promise<Performance> {
    const known = this.jobs.get(key);
    if (known !== undefined) return this.repeat(known, task);
    const job = await this.add(key, task);
    if (job === undefined) return { kind: "concluded" };
    job.isCanceled = task.isCanceled;
    this.occupy(job);
    const { ref } = task;
    if (ref === undefined) {
      job.resume();
      await job.next(() => this.submits.reconcile(job));
    } else {
      job.stage = { kind: "queued", ref };
      void job.next(() => this.reads.read(job, ref));
    }
    return { kind: job.isOpen ? "kept" : "concluded" };
  }

  /** Effect `provider.cancel`. A job that could not be stopped is read until it has ended. */
  async cancel(key: Key): Promise<Performance> {
    const job = this.jobs.get(key);
    const answer = job && (await job.next(() => this.cancelOnce(job)));
    // The job was never sent, or is over: there is nothing to stop.
    const message = { kind: "cancel_answer", answer: answer ?? { kind: "cancelled" } };
    return { kind: "concluded", message };
  }

  /** Effect `provider.withdraw`: cancels the job without waiting for the outcome. */
  withdraw(key: Key): Performance {
    const job = this.jobs.get(key);
    if (job === undefined) return { kind: "concluded" };
    const isThere = job.stage.kind === "queued" || job.stage.kind === "running";
    if (isThere || job.stage.kind === "accepting") void cancelAtProvider(job);
    job.close();
    return { kind: "concluded" };
  }

  /**
   * Drops jobs that have moved to another service, which looks for each at its provider: their
   * calls under way here no longer count.
   */
  giveUp(hasLeft: (job: Key) => boolean): void {
    for (const [key, job] of this.jobs) if (hasLeft(key)) job.close();
  }

  /**
   * Reads the job's state soon. Rejects with a `PortError` when the callback cannot be verified.
   * `number` is the submission that its token names, undefined when the token is wrong; callbacks
   * from within this process have no token.
   */
  async receiveCallback(
    provider: string,
    key: Key | undefined,
    number: number | "internal" | undefined,
    callback: Callback,
  ): Promise<CallbackAnswer> {
    const found = await this.ports.find(provider);
    const job = key === undefined ? undefined : this.jobs.get(key);
    const called = { ...callback, ...(job === undefined ? {} : { of: describeCall(job) }) };
    const isTokenOnly = found?.provider.describe().callback === "token_only";
    // After a restart the job is handed over soon, and the provider repeats its callback.
    if (isTokenOnly && number !== undefined && job === undefined)
      throw new PortError("the job is not known here", true);
    const verdict = await found?.provider.verifyCallback(called, this.ports.clock.nowMs());
    if (verdict?.ok !== true) return "forged";
    if (number === undefined) return "refused";
    if (job === undefined || job.task.provider !== provider) return "ignored";
    if (number === "internal") return this.readAtOnce(job);
    if (number !== job.submits) return "ignored";
    const digest = createHash("sha256").update(callback.rawBody).digest("base64");
    if (job.callbackDigest === digest) return "ignored";
    job.callbackDigest = digest;
    return this.wake(job, verdict.ref);
  }

  private wake(job: ProviderJob, called: string | undefined): CallbackAnswer {
    const { stage } = job;
    switch (stage.kind) {
      case "waiting":
      case "marking":
      case "delivering":
        return "ignored";
      case "sending":
        job.called = { ref: called };
        break;
      case "unknown":
        if (!isRef(called)) return "ignored";
        job.after(0, async () => this.submits.onAccepted(job, called, { state: "queued" }));
        break;
      case "accepting":
      case "queued":
      case "running":
        if (called !== undefined && called !== stage.ref) return "ignored";
        if (stage.kind === "accepting") job.called = { ref: called };
        else this.readSoon(job, stage.ref);
    }
    job.tell({ kind: "called_back" });
    return "accepted";
  }

  private readAtOnce(job: ProviderJob): CallbackAnswer {
    const { stage, ref } = job;
    if (ref === undefined || stage.kind === "delivering") return "ignored";
    void job.next(() => this.reads.read(job, ref));
    return "accepted";
  }

  /** Delays the read, so that the provider first receives its answer to the callback. */
  private readSoon(job: ProviderJob, ref: string): void {
    job.after(limits.providers.wakeMs, () => this.reads.read(job, ref));
  }

  /** Reads the job's state now; returns whether there was something to read. */
  readNow(key: Key): boolean {
    const job = this.jobs.get(key);
    const { ref } = job ?? {};
    if (job === undefined || ref === undefined || job.stage.kind === "delivering") return false;
    job.after(0, () => this.reads.read(job, ref));
    return true;
  }

  /** Handles a job that a restarted shard hands over again: repeats what it may have missed. */
  private repeat(job: ProviderJob, { submits = 0 }: ProviderTask): Performance {
    const { stage } = job;
    switch (stage.kind) {
      case "marking":
        job.submits = submits;
        void job.next(() => this.submits.begin(job));
        break;
      case "accepting":
        job.tell({ kind: "accepted", ref: stage.ref });
        break;
      case "delivering":
        void job.next(() => this.reads.read(job, stage.ref));
        break;
      case "unknown":
        void job.next(() => this.submits.reconcile(job));
        break;
      case "waiting":
      case "sending":
      case "queued":
      case "running":
    }
    return { kind: "kept" };
  }

  /** Moves the job to the provider as it is configured now. */
  private move(job: ProviderJob): void {
    const { key, task, submits } = job;
    job.close();
    void this.submit(key, { ...task, submits });
  }

  private async add(key: Key, task: ProviderTask): Promise<ProviderJob | undefined> {
    const at = await this.ports.find(task.provider);
    const model = at && this.getModel(at, task);
    if (at === undefined || model === undefined) {
      const outcome = at === undefined ? unconfigured : unlisted;
      this.ports.send(key, { kind: "finished", outcome });
      return undefined;
    }
    const job = new ProviderJob(key, at, task, model, this.ports, () => this.jobs.delete(key));
    this.jobs.set(key, job);
    return job;
  }

  private getModel({ provider }: ConfiguredProvider, { model }: ProviderTask) {
    return provider.describe().isInProcess ? simulatedModel : this.ports.terms(model ?? "");
  }

  private occupy(job: ProviderJob): void {
    const { key, task, model } = job;
    job.at.gate?.occupy({
      key,
      model: task.model ?? "",
      modelMax: model.maxInFlight,
      admit: () => undefined,
      wait: () => undefined,
      move: () => undefined,
    });
  }

  private async cancelOnce(job: ProviderJob): Promise<CancelAnswer> {
    job.isCanceled = true;
    const answer = await cancelAtProvider(job);
    if (answer.kind === "cancelled" || answer.kind === "stopped_partway") job.close();
    return answer;
  }
}

function describeCall({ task, model }: ProviderJob): CalledJob {
  const { name, typicalSeconds, expectedUnits } = model;
  return { job: task.job, model: name, typicalSeconds, ...omitUndefined({ expectedUnits }) };
}

const simulatedModel: ModelAtProvider = {
  name: "",
  callback: true,
  maxInFlight: undefined,
  alwaysRefundModeration: false,
  typicalSeconds: 1,
  deadlineSeconds: 600,
};

const unconfigured = endUpstream("The provider of this model is no longer configured.");
const unlisted = endUpstream("The model is no longer in the catalogue.");
