/** Runs jobs at a provider whose answers a test scripts. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { CancelAnswer, JobMessage } from "../../actors/protocol/job.ts";
import { ProviderGate } from "../../effects/provider-gate.ts";
import type { ModelAtProvider } from "../../effects/provider-job.ts";
import { ProviderJobs } from "../../effects/provider-jobs.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { IdMint, idAtEnd } from "../../engine/id.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type {
  LookUp,
  Provider,
  ProviderResult,
  ProviderStatus,
  ProviderTraits,
  SubmitOutcome,
} from "../../providers/provider.ts";
import { jobSelf } from "../actors/accounts.ts";

const traits: ProviderTraits = {
  name: "there",
  isInProcess: false,
  idempotentSubmit: false,
  cancel: "any",
  callback: "none",
  progress: true,
  reportsBilling: true,
};

const kite: ModelAtProvider = {
  name: "kites",
  callback: true,
  maxInFlight: undefined,
  alwaysRefundModeration: false,
  typicalSeconds: 50,
  deadlineSeconds: 600,
};

/** Answers of the provider, given in order; the last one is repeated. */
interface Script {
  readonly model?: Partial<ModelAtProvider>;
  /** Whether the job's actor confirms records; if false, the test does. */
  readonly isDurable?: boolean;
  /** Results of look-ups, in order; without any, the provider offers none. */
  readonly lookUps?: readonly (LookUp | Error)[];
  readonly traits?: Partial<ProviderTraits>;
  readonly submits?: readonly (SubmitOutcome | Error)[];
  readonly statuses?: readonly (ProviderStatus | Error)[];
  readonly results?: readonly (ProviderResult | Error)[];
  readonly cancel?: CancelAnswer | Error;
  /** Runs before a call is answered. */
  readonly before?: (call: string) => Promise<void>;
  /** Value of the random byte from which the jitter is drawn. */
  readonly draw?: number;
}

export const queued: ProviderStatus = { state: "queued" };
export const running: ProviderStatus = { state: "running" };
export const accepted: SubmitOutcome = { kind: "accepted", ref: "ref", status: queued };
export const unreachable = new PortError("the provider does not answer", true);

export function stage(script: Script) {
  const { submits = [accepted], statuses = [running], draw = 0 } = script;
  const clock = new ManualClock(1_000_000);
  const sent: JobMessage[] = [];
  const faults: unknown[] = [];
  const calls: string[] = [];
  const answerNext = async <Answer>(
    call: string,
    answers: readonly (Answer | Error)[],
  ): Promise<Answer> => {
    const before = calls.filter((made) => made.startsWith(call)).length;
    calls.push(`${call} ${clock.monotonicMs()}`);
    const next = answers[Math.min(before, answers.length - 1)];
    await script.before?.(call);
    if (next === undefined || next instanceof Error) throw next;
    return next;
  };
  const provider: Provider = {
    describe: () => ({ ...traits, ...script.traits }),
    submit: () => answerNext("submit", submits),
    status: () => answerNext("status", statuses),
    result: () => answerNext<ProviderResult>("result", script.results ?? [{ files: [] }]),
    ...(script.lookUps === undefined
      ? {}
      : { lookUp: () => answerNext("lookUp", script.lookUps ?? []) }),
    cancel: () => answerNext<CancelAnswer>("cancel", [script.cancel ?? { kind: "cancelled" }]),
    verifyCallback: async ({ headers }) =>
      headers["signature"] === "right" ? { ok: true, ref: "ref" } : { ok: false },
    health: async () => "up",
  };
  const gate = new ProviderGate({
    clock,
    maxInFlight: undefined,
    probe: async () => "up",
    onHealth: () => {},
  });
  const results = { ownOrigins: [], allowedHosts: [], allowPrivate: false, bytesMax: 1 };
  const there = { provider, gate, results };
  const jobs = new ProviderJobs({
    clock,
    entropy: { bytes: (count) => new Uint8Array(count).fill(draw) },
    ids: new IdMint(clock, createSeededEntropy(1)),
    send(_, message) {
      sent.push(message);
      // Does what the job's actor does once its record is durable.
      if (script.isDurable === false) return;
      if (message.kind === "submitting")
        void jobs.send(jobSelf, { kind: "provider.send", number: message.number });
      if (message.kind === "accepted") jobs.follow(jobSelf);
    },
    onFault: (_, error) => faults.push(error),
    storeStreams: async () => [],
    prepare: async () => ({ input: {}, model: "kites", callbackUrl: undefined }),
    find: async (name) => (name === "there" ? there : undefined),
    terms: (model) => (model === "kite" ? { ...kite, ...script.model } : undefined),
  });
  const task = {
    job: idAtEnd(jobSelf),
    model: "kite",
    prompt: "a kite",
    modality: "image",
    count: 1,
  } as const;
  const submit = async (provider = "there") => {
    const performance = await jobs.submit(jobSelf, { provider, ...task });
    await turnOfTheLoop();
    return performance;
  };
  const resume = async (more: object) => {
    const effect = { kind: "provider.resume", provider: "there", isCanceled: false } as const;
    await jobs.resume(jobSelf, { ...effect, ...task, ...more });
    await turnOfTheLoop();
  };
  const pass = async (byMs: number) => {
    for (let leftMs = byMs; leftMs > 0; leftMs -= 500) {
      clock.advance(Math.min(500, leftMs));
      await turnOfTheLoop();
    }
  };
  const callBack = (signature: string, body = "", number = 1) =>
    jobs.receiveCallback("there", jobSelf, number, {
      rawBody: Buffer.from(body),
      headers: { signature },
    });
  const answer = async () => {
    const performance = await jobs.cancel(jobSelf);
    return performance.kind === "concluded" ? performance.message : undefined;
  };
  return { submit, resume, pass, callBack, answer, sent, faults, calls, jobs };
}

export function formatTimes(calls: readonly string[], call: string): number[] {
  const made = calls.filter((text) => text.startsWith(call));
  return made.map((text) => Number(text.split(" ")[1]));
}
