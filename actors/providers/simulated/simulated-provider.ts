/**
 * The provider behind the `sim-*` models: plays the scenario of the prompt and delivers tiny
 * media. It costs no processor time and remembers nothing: after a restart the outbox hands it
 * the job again and the scenario starts over, which is harmless because submitting to it is
 * idempotent.
 *
 * It tells its jobs what a provider would, so it needs no callback: one that is lost or forged is
 * an end that the next read finds, one that comes twice is a word that is said twice.
 */
import type { Modality } from "../../../config/catalogue.ts";
import type { IdMint } from "../../../engine/id.ts";
import { type Key, vpartOf } from "../../../engine/key.ts";
import type { Performance } from "../../../engine/outbox.ts";
import type { Clock } from "../../../engine/ports/clock.ts";
import type { CancelAnswer, JobEffect, JobMessage, Outcome, Output } from "../../job/job.ts";
import { isImmediate, type Scenario, scenarioOf } from "./scenario.ts";
import { simulatedMedia } from "./simulated-media.ts";

type Submission = Extract<JobEffect, { kind: "provider.submit" }>;

interface Run {
  readonly job: Key;
  readonly scenario: Scenario;
  readonly modality: Modality;
  readonly count: number;
  stage: "waiting" | "unknown" | "queued" | "running";
  acceptedAtMs: number;
  startedAtMs: number;
  stopTimer: () => void;
}

export interface SimulatedPorts {
  readonly clock: Clock;
  readonly ids: IdMint;
  readonly send: (to: Key, message: JobMessage) => void;
}

const busyDelayMs = 1_000;
const busyDelayMaxMs = 60_000;
/** A provider that calls back is read that often all the same. */
const readIntervalMs = 20_000;
/** What is lost at two reads so far apart is lost. */
const lostAgainMs = 10_000;

export class SimulatedProvider {
  private readonly ports: SimulatedPorts;
  private readonly runs = new Map<Key, Run>();

  constructor(ports: SimulatedPorts) {
    this.ports = ports;
  }

  /** A job that is under way already is left alone. */
  submit(job: Key, { prompt, modality, count }: Submission): Performance {
    if (this.runs.has(job)) return { kind: "kept" };
    const scenario = scenarioOf(prompt);
    const idle = {
      stage: "waiting",
      acceptedAtMs: 0,
      startedAtMs: 0,
      stopTimer: () => {},
    } as const;
    const run: Run = { job, scenario, modality, count, ...idle };
    if (isImmediate(scenario)) return { kind: "concluded", message: finished(this.endOf(run)) };
    this.runs.set(job, run);
    this.connect(run, 0);
    return { kind: "kept" };
  }

  cancel(job: Key): Performance {
    const run = this.runs.get(job);
    const answer = answerOf(run, this.ports.clock.nowMs());
    const isStopped = answer.kind === "cancelled" || answer.kind === "stopped_partway";
    if (run !== undefined && (isStopped || run.stage === "unknown")) {
      run.stopTimer();
      this.runs.delete(job);
    }
    return { kind: "concluded", message: { kind: "cancel_answer", answer } };
  }

  private connect(run: Run, failures: number): void {
    const { busy, down, queueMs } = run.scenario;
    if (failures < busy + down) {
      const detail = failures < down ? "provider_down" : "upstream_at_capacity";
      this.ports.send(run.job, { kind: "detail", detail });
      const delayMs = Math.min(busyDelayMaxMs, busyDelayMs * 2 ** failures);
      this.after(run, delayMs, () => this.connect(run, failures + 1));
      return;
    }
    if (failures > 0) this.ports.send(run.job, { kind: "detail", detail: null });
    if (run.scenario.refusal !== undefined) {
      this.end(run);
      return;
    }
    if (run.scenario.isUnknown) {
      run.stage = "unknown";
      this.ports.send(run.job, { kind: "submitting", hasLookUp: true });
      return;
    }
    run.stage = "queued";
    run.acceptedAtMs = this.ports.clock.nowMs();
    this.ports.send(run.job, { kind: "accepted" });
    if (queueMs === 0) this.start(run);
    else this.after(run, queueMs, () => this.start(run));
  }

  private start(run: Run): void {
    run.stage = "running";
    run.startedAtMs = this.ports.clock.nowMs();
    this.ports.send(run.job, { kind: "started" });
    this.after(run, run.scenario.slowMs, () => this.callBack(run));
  }

  /** The word of the end, or the next read of the state that finds it. */
  private callBack(run: Run): void {
    const { callbacks, ending } = run.scenario;
    if (ending === "lost") {
      this.after(run, lostAgainMs, () => this.end(run));
      return;
    }
    if (callbacks === 0) {
      const elapsedMs = this.ports.clock.nowMs() - run.acceptedAtMs;
      this.after(run, readIntervalMs - (elapsedMs % readIntervalMs), () => this.end(run));
      return;
    }
    const word = this.end(run);
    if (callbacks === 2) this.ports.send(run.job, word);
  }

  private end(run: Run): JobMessage {
    this.runs.delete(run.job);
    const word = finished(this.endOf(run));
    this.ports.send(run.job, word);
    return word;
  }

  private endOf({ scenario, modality, count, job }: Run): Outcome {
    const { refusal, ending, billed } = scenario;
    if (refusal !== undefined) return refusedAs(refusal, false, billed);
    switch (ending) {
      case "succeed": {
        const { media } = simulatedMedia[modality];
        const outputs: Output[] = [];
        while (outputs.length < count)
          outputs.push({ asset: this.ports.ids.under(vpartOf(job)), media });
        return { kind: "succeeded", outputs };
      }
      case "nsfw_output":
        return refusedAs("nsfw", true, billed);
      case "ip_output":
        return refusedAs("ip", true, billed);
      case "fail":
        return failed("upstream", "The model could not finish this generation.", true, billed);
      case "lost":
        return failed("upstream", "The provider lost this generation.", false, false);
    }
  }

  private after(run: Run, delayMs: number, then: () => void): void {
    run.stopTimer = this.ports.clock.after(delayMs, then);
  }
}

/** Without a run nothing was ever sent, or it is over: there is nothing left to stop. */
function answerOf(run: Run | undefined, nowMs: number): CancelAnswer {
  const asked = run?.scenario.cancel;
  if (asked !== undefined && asked !== "partway") return { kind: asked };
  if (run?.stage === "unknown") return { kind: "failed" };
  if (run?.stage !== "running")
    return { kind: asked === undefined ? "cancelled" : "stopped_partway" };
  const { scenario, startedAtMs } = run;
  return { kind: "stopped_partway", billedFraction: (nowMs - startedAtMs) / scenario.slowMs };
}

function finished(outcome: Outcome): JobMessage {
  return { kind: "finished", outcome };
}

function refusedAs(refusal: "nsfw" | "ip", atOutput: boolean, billed: boolean): Outcome {
  return refusal === "nsfw"
    ? failed("moderation_safety", "The content filter refused this request.", atOutput, billed)
    : failed("moderation_ip", "The filter saw a likeness or a protected work.", atOutput, billed);
}

function failed(
  reason: Extract<Outcome, { kind: "failed" }>["class"],
  message: string,
  atOutput: boolean,
  billed: boolean,
): Outcome {
  return { kind: "failed", class: reason, message, atOutput, billed };
}
