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

/** A provider and who may be submitted to it; `gate` undefined for one in this process. */
export interface ConfiguredProvider {
  readonly provider: Provider;
  readonly gate: ProviderGate | undefined;
  /** Where results may be fetched besides the provider's own origins, and how much. */
  readonly results: ResultBounds;
}

export interface ResultBounds {
  /** Origins of the provider itself. */
  readonly ownOrigins: readonly string[];
  /** Host names; `*.example.org` is each one below. */
  readonly allowedHosts: readonly string[];
  readonly allowPrivate: boolean;
  readonly bytesMax: number;
}

/** What the catalogue says of a model that a provider runs. */
export interface ModelAtProvider {
  /** The catalogue's `provider_model`. */
  readonly name: string;
  readonly callback: boolean;
  readonly maxInFlight: number | undefined;
  readonly alwaysRefundModeration: boolean;
  readonly typicalSeconds: number;
  readonly expectedUnits?: number;
  readonly deadlineSeconds: number;
}

export type JobStage =
  /** For a free place, for the provider, or for its turn to try again. */
  | { readonly kind: "waiting" }
  /** Until the mark that it may have been sent is durable. */
  | { readonly kind: "marking" | "sending" | "unknown" }
  /** Until the provider's name of it is durable. */
  | { readonly kind: "accepting"; readonly ref: ProviderRef; readonly status: ProviderStatus }
  | { readonly kind: "queued" | "running" | "delivering"; readonly ref: ProviderRef };

export interface JobPorts {
  readonly clock: Clock;
  readonly send: (to: Key, message: JobMessage) => void;
  /** An adapter threw; the call counts as failed. */
  readonly onFault: (job: Key, error: unknown) => void;
}

export class ProviderJob {
  readonly key: Key;
  readonly at: ConfiguredProvider;
  readonly task: ProviderTask;
  readonly model: ModelAtProvider;
  stage: JobStage = { kind: "waiting" };
  /** How often it was submitted, in its whole life. */
  submits: number;
  /** Consecutive submits that the provider did not take. */
  refusals = 0;
  /** Consecutive. */
  failedReads = 0;
  /** When a read first found it lost, gone or odd, while no read since was good. */
  doubtedAtMs: number | undefined;
  /** Only the provider's last word is wanted, for the hold. */
  isCanceled = false;
  /** Of the callback that was heard last. */
  callbackDigest: string | undefined;
  /** Until when a submit of an earlier thread or node may still be on its way, monotonic. */
  private earlierSubmitUntilMs = 0;
  /** By a callback that overtook what its submit comes to. */
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

  /** It was submitted, nothing is known of it, and who sent it may still do so. */
  resume(): void {
    this.earlierSubmitUntilMs = this.ports.clock.monotonicMs() + limits.providers.callMs;
  }

  /** The provider's name of it, once there is one. */
  get ref(): ProviderRef | undefined {
    return "ref" in this.stage ? this.stage.ref : undefined;
  }

  get hasCallback(): boolean {
    return this.model.callback && this.at.provider.describe().callback !== "none";
  }

  tell(message: JobMessage): void {
    this.ports.send(this.key, message);
  }

  /** Why it waits, or null when it waits no more; tells changes alone. */
  tellDetail(detail: StatusDetail | null): void {
    if (this.detail === detail) return;
    this.detail = detail;
    this.tell({ kind: "detail", detail });
  }

  /** The same where every refusal counts, because the mark of its submit has to go. */
  tellUnsent(detail: StatusDetail): void {
    this.detail = detail;
    this.tell({ kind: "detail", detail });
  }

  fault(error: unknown): void {
    this.ports.onFault(this.key, error);
  }

  /**
   * The longer of our own pause and the one that the provider asks for, which may be up to the time
   * that the job has.
   */
  pauseMs(ownMs: number, askedMs: number): number {
    return Math.max(ownMs, Math.min(askedMs, this.model.deadlineSeconds * 1000));
  }

  /** Makes a call after a time, instead of the one that was planned before. */
  after(delayMs: number, call: () => Promise<void>): void {
    this.stopTimer();
    this.stopTimer = this.ports.clock.after(delayMs, () => void this.next(call));
  }

  /** The calls for one job are made one after the other; undefined when it is over by then. */
  next<Answer>(call: () => Promise<Answer>): Promise<Answer | undefined> {
    const answer = this.last.then(() => (this.isOpen ? call() : undefined));
    this.last = answer;
    return answer;
  }

  /** It is forgotten here. */
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
