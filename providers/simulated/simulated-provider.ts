/**
 * The provider of the `sim-*` models: plays the scenario of the prompt and delivers tiny media.
 * It costs no processor time and keeps a job until its end has been read.
 *
 *   queued --queueMs--> running --slowMs--> over
 *
 * It sends a signed callback when a job starts and when it is over. A job whose scenario takes no
 * time, as those of load tests, is over when its submit is answered.
 */
import { createHmac } from "node:crypto";
import type { CancelAnswer } from "../../actors/protocol/job.ts";
import { simulatedProvider } from "../../config/providers/providers.ts";
import type { Id } from "../../engine/id.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type {
  Callback,
  CallbackVerdict,
  LookUp,
  Provider,
  ProviderFailure,
  ProviderRef,
  ProviderResult,
  ProviderStatus,
  ProviderTraits,
  Submission,
  SubmitOutcome,
} from "../provider.ts";
import { isImmediate, parseScenario, type Scenario } from "./scenario.ts";
import { simulatedMedia } from "./simulated-media.ts";

export interface SimulatedPorts {
  readonly clock: Clock;
  /** Delivers a callback, as the network does for real providers. */
  readonly callBack: (job: Id, callback: Callback) => void;
}

interface Run extends Pick<Submission, "job" | "modality" | "count"> {
  readonly scenario: Scenario;
  stage: "queued" | "running" | "over";
  startedAtMs: number;
  stopTimer: () => void;
}

const traits: ProviderTraits = {
  name: simulatedProvider,
  isInProcess: true,
  idempotentSubmit: false,
  cancel: "any",
  callback: "signed",
  progress: false,
  reportsBilling: true,
};

const signatureHeader = "x-sim-signature";

export class SimulatedProvider implements Provider {
  private readonly ports: SimulatedPorts;
  private readonly runs = new Map<ProviderRef, Run>();

  constructor(ports: SimulatedPorts) {
    this.ports = ports;
  }

  describe(): ProviderTraits {
    return traits;
  }

  async submit({ job, number, modality, prompt, count }: Submission): Promise<SubmitOutcome> {
    const scenario = parseScenario(prompt);
    const { down, busy, refusal, billed, isUnknown } = scenario;
    if (number <= down) return { kind: "down" };
    if (number <= down + busy) return { kind: "busy" };
    if (refusal !== undefined) return { kind: "refused", ...failures[refusal], billed };
    if (isUnknown) return { kind: "unknown" };
    const stage = isImmediate(scenario) ? "over" : "queued";
    const run: Run = {
      job,
      modality,
      count,
      scenario,
      stage,
      startedAtMs: 0,
      stopTimer: () => {},
    };
    this.runs.set(job, run);
    if (stage === "queued") this.queue(run);
    return { kind: "accepted", ref: job, status: this.look(run) };
  }

  /** The simulator lives in this process: an unknown job may have been lost with an earlier one. */
  async lookUp(job: Id): Promise<LookUp> {
    const run = this.runs.get(job);
    if (run === undefined) return { kind: "unknown" };
    return { kind: "found", ref: job, status: this.look(run) };
  }

  async status(ref: ProviderRef): Promise<ProviderStatus> {
    const run = this.runs.get(ref);
    return run === undefined ? { state: "lost" } : this.look(run);
  }

  async result(ref: ProviderRef): Promise<ProviderResult> {
    const run = this.runs.get(ref);
    if (run?.stage !== "over") throw new PortError(`there is no result for ${ref}`, false);
    this.runs.delete(ref);
    const { media } = simulatedMedia[run.modality];
    return { files: new Array(run.count).fill({ kind: "stored", media }) };
  }

  async cancel(ref: ProviderRef): Promise<CancelAnswer> {
    const run = this.runs.get(ref);
    if (run === undefined) return { kind: "failed" };
    const { cancel, slowMs } = run.scenario;
    if (cancel !== undefined && cancel !== "partway") return { kind: cancel };
    if (run.stage === "over") return { kind: "refused" };
    run.stopTimer();
    this.runs.delete(ref);
    if (run.stage === "queued")
      return { kind: cancel === undefined ? "cancelled" : "stopped_partway" };
    const ranMs = this.ports.clock.monotonicMs() - run.startedAtMs;
    return { kind: "stopped_partway", billedFraction: ranMs / Math.max(1, slowMs) };
  }

  async verifyCallback({ rawBody, headers }: Callback): Promise<CallbackVerdict> {
    if (headers[signatureHeader] !== signature(rawBody)) return { ok: false };
    return { ok: true, ref: Buffer.from(rawBody).toString() };
  }

  async health(): Promise<"up"> {
    return "up";
  }

  private queue(run: Run): void {
    const { queueMs } = run.scenario;
    if (queueMs === 0) this.start(run);
    else
      this.after(run, queueMs, () => {
        this.start(run);
        this.callBack(run, "sent");
      });
  }

  private start(run: Run): void {
    const { slowMs, callback } = run.scenario;
    run.stage = "running";
    run.startedAtMs = this.ports.clock.monotonicMs();
    this.after(run, slowMs, () => {
      run.stage = "over";
      this.callBack(run, callback);
    });
  }

  /** A final state without a result is returned once, then the job is forgotten. */
  private look({ job, stage, scenario }: Run): ProviderStatus {
    if (stage !== "over") return { state: stage };
    const { ending, billed } = scenario;
    if (ending === "succeed") return { state: "succeeded" };
    this.runs.delete(job);
    if (ending === "lost") return { state: "lost" };
    return { state: "failed", ...failures[ending], atOutput: true, billed };
  }

  private callBack({ job }: Run, callback: Scenario["callback"]): void {
    if (callback === "dropped") return;
    const rawBody = Buffer.from(job);
    const sign = callback === "forged" ? "forged" : signature(rawBody);
    const sent = { rawBody, headers: { [signatureHeader]: sign } };
    this.ports.callBack(job, sent);
    if (callback === "doubled") this.ports.callBack(job, sent);
  }

  private after(run: Run, delayMs: number, then: () => void): void {
    run.stopTimer = this.ports.clock.after(delayMs, then);
  }
}

/** Signature in hex. The key is not secret, as simulator and service are one process. */
function signature(rawBody: Uint8Array): string {
  return createHmac("sha256", simulatedProvider).update(rawBody).digest("hex");
}

const unsafe: ProviderFailure = {
  class: "moderation_safety",
  message: "The content filter refused this request.",
};
const likeness: ProviderFailure = {
  class: "moderation_ip",
  message: "The content filter detected a likeness or a protected work.",
};
const broken: ProviderFailure = {
  class: "upstream",
  message: "The model could not finish this generation.",
};

/** Failures, by the scenario that requests them. */
const failures = {
  nsfw: unsafe,
  ip: likeness,
  nsfw_output: unsafe,
  ip_output: likeness,
  fail: broken,
} as const;
