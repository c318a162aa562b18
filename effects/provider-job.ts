/**
 * One job at its provider, as the effects thread knows it. It is not kept beyond that thread.
 *
 *   waiting --> marking --> sending --> accepting --> queued --> running --> delivering
 *      ^           ^           |           ^
 *      '--busy, down-----------+--unknown--'
 */

import type { JobMessage, ProviderTask, StatusDetail } from "../actors/protocol/job.ts";
import { limits } from "../config/limits.ts";
import type { Key } from "../engine/key.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Provider, ProviderRef, ProviderStatus } from "../providers/provider.ts";
import type { ProviderGate } from "./provider-gate.ts";

/** A provider and its gate; `gate` is undefined for a provider in this process. */
export interface ConfiguredProvider {
  readonly provider: Provider;
  readonly gate: ProviderGate | undefined;
  /** Where results may be fetched from besides the provider's own origins, and their size. */
  readonly results: ResultBounds;
}

export interface ResultBounds {
  /** Origins that belong to the provider itself. */
  readonly ownOrigins: readonly string[];
  /** Host names; `*.example.org` matches every name below it. */
  readonly allowedHosts: readonly string[];
  readonly allowPrivate: boolean;
  readonly bytesMax: number;
}

/** The catalogue's data of a model that a provider runs. */
export interface ModelAtProvider {
  /** The `provider_model` of the catalogue entry. */
  readonly name: string;
  readonly callback: boolean;
  readonly maxInFlight: number | undefined;
  readonly alwaysRefundModeration: boolean;
  readonly typicalSeconds: number;
  readonly expectedUnits?: number;
  readonly deadlineSeconds: number;
}

export type JobStage =
  /** Waits for a free place, for the provider, or until the next try is due. */
  | { readonly kind: "waiting" }
  /** Until the mark that it may have been sent is durable. */
  | { readonly kind: "marking" | "sending" | "unknown" }
  /** Until the provider's name of it is durable. */
  | { readonly kind: "accepting"; readonly ref: ProviderRef; readonly status: ProviderStatus }
  | { readonly kind: "queued" | "running" | "delivering"; readonly ref: ProviderRef };

export interface JobPorts {
  readonly clock: Clock;
  readonly send: (to: Key, message: JobMessage) => void;
  /** Called when an adapter threw; the call counts as failed. */
  readonly onFault: (job: Key, error: unknown) => void;
}

export class ProviderJob {
  readonly key: Key;
  readonly at: ConfiguredProvider;
  readonly task: ProviderTask;
  readonly model: ModelAtProvider;
  stage: JobStage = { kind: "waiting" };
  /** Number of submissions since the job was created. */
  submits: number;
  /** Consecutive submits that the provider did not accept. */
  refusals = 0;
  /** Consecutive failed reads. */
  failedReads = 0;
  /** When a read first found the job lost, gone or odd, if no read has succeeded since. */
  doubtedAtMs: number | undefined;
  /** Whether the job was canceled: then only its final state matters, for the held credits. */
  isCanceled = false;
  /** Digest of the last callback received. */
  callbackDigest: string | undefined;
  /** Monotonic time until which a submit of an earlier thread or node may still arrive. */
  private earlierSubmitUntilMs = 0;
  /** Set by a callback that arrived before the outcome of its submit was known. */
  called: { readonly ref: ProviderRef | undefined } | undefined;
  private readonly ports: JobPorts;
  private readonly onClose: () => void;
  private detail: StatusDetail | null = null;
  /** The latest call to the provider; the next one waits for it. */
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;
  private stopTimer: () => void = () => {};

  constructor(
    key: Key,
    at: ConfiguredProvider,
    task: ProviderTask,
    model: ModelAtProvider,
    ports: JobPorts,
    onClose: () => void,
  ) {
    this.key = key;
    this.at = at;
    this.task = task;
    this.model = model;
    this.submits = task.submits ?? 0;
    this.ports = ports;
    this.onClose = onClose;
  }

  get isOpen(): boolean {
    return !this.isClosed;
  }

  /** Whether a submit that this thread did not send may still reach the provider. */
  get isPerhapsUnderWay(): boolean {
    return this.ports.clock.monotonicMs() < this.earlierSubmitUntilMs;
  }

  /** Resumes a job whose submit has an unknown outcome and may still be on its way. */
  resume(): void {
    this.earlierSubmitUntilMs = this.ports.clock.monotonicMs() + limits.providers.callMs;
  }

  /** The provider's name of the job, once there is one. */
  get ref(): ProviderRef | undefined {
    return "ref" in this.stage ? this.stage.ref : undefined;
  }

  get hasCallback(): boolean {
    return this.model.callback && this.at.provider.describe().callback !== "none";
  }

  tell(message: JobMessage): void {
    this.ports.send(this.key, message);
  }

  /** Reports why the job waits, or null when it no longer does; only if that has changed. */
  tellDetail(detail: StatusDetail | null): void {
    if (this.detail === detail) return;
    this.detail = detail;
    this.tell({ kind: "detail", detail });
  }

  /** Reports every refusal, even if unchanged, because its submit's mark must be removed. */
  tellUnsent(detail: StatusDetail): void {
    this.detail = detail;
    this.tell({ kind: "detail", detail });
  }

  fault(error: unknown): void {
    this.ports.onFault(this.key, error);
  }

  /**
   * Returns the longer of our own pause and the one that the provider asks for, which is limited to
   * the job's deadline.
   */
  pauseMs(ownMs: number, askedMs: number): number {
    return Math.max(ownMs, Math.min(askedMs, this.model.deadlineSeconds * 1000));
  }

  /** Schedules a call, replacing the one that was scheduled before. */
  after(delayMs: number, call: () => Promise<void>): void {
    this.stopTimer();
    this.stopTimer = this.ports.clock.after(delayMs, () => void this.next(call));
  }

  /** Makes a job's calls one after the other; undefined when the job is over before its turn. */
  next<Answer>(call: () => Promise<Answer>): Promise<Answer | undefined> {
    const answer = this.last.then(() => (this.isOpen ? call() : undefined));
    this.last = answer;
    return answer;
  }

  /** Forgets the job on this thread. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.stopTimer();
    const { ref } = this;
    if (ref !== undefined) this.at.provider.forget?.(ref);
    this.at.gate?.leave(this.key);
    this.onClose();
  }
}
