/** How many jobs can be at a slow provider, and what do they cost all other requests? */
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../config/limits.ts";
import type { Call } from "../../test/providers/simulator.ts";
import { type Account, createAccounts, inParallel } from "../load/accounts.ts";
import { type BenchProvider, openProvider, providerModel } from "../load/replicate-provider.ts";
import { heldMebibytes } from "../machine/memory.ts";
import { readOptions } from "../options.ts";
import type { Finding } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";
import { watchHealth } from "../service/health.ts";
import type { Subject } from "../service/server-process.ts";

interface Options {
  readonly jobs: number;
  readonly seconds: number;
  readonly replyMs: number;
}

/** How many an account of the bench's plan may have under way at a time. */
const jobsPerAccount = 8;
/** Interval between reads of a job at a provider, which jitter shortens; see `readDelayMs`. */
const { readMs } = limits.providers;

export const providers: Scenario = {
  question: "What do jobs at a slow provider cost everything else?",
  excludes: "providers that call back (see callbacks)",
  options: [
    "--jobs N         at the provider at a time (5000)",
    "--seconds S      that are measured (30)",
    "--reply MS       that the provider takes for an answer (300)",
  ],
  plan: (args) => {
    const { reply, ...options } = readOptions(args, { jobs: 5_000, seconds: 30, reply: 300 });
    return (setting) => measure({ ...options, replyMs: reply }, setting);
  },
};

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const beforeAnswer = () => pause(options.replyMs);
  const provider = await openProvider({ callsBack: false, beforeAnswer });
  try {
    const { environment } = provider;
    const subject = await setting.start({ environment, mustBeOwn: true });
    return await watchJobs(options, subject, provider, setting).finally(() => subject.stop());
  } finally {
    await provider.close();
  }
}

async function watchJobs(
  options: Options,
  subject: Subject,
  { journal }: BenchProvider,
  { say }: Setting,
): Promise<Finding> {
  if (subject.pid === undefined) throw new Error("The service must be one that this bench starts.");
  const accounts = await createAccounts(
    subject.origin,
    subject.token,
    Math.ceil(options.jobs / jobsPerAccount),
  );
  const ids = await submitAll(accounts, options.jobs);
  const parseSubmitted = () =>
    journal.filter(({ method, status }) => method === "POST" && status === 201);
  while (parseSubmitted().length < options.jobs) await pause(200);
  say(`${options.jobs} jobs are at the provider`);
  await pause(2 * readMs);
  const begun = journal.length;
  const healthy = await watchHealth(subject.origin);
  const waits: number[] = [];
  const untilMs = performance.now() + options.seconds * 1000;
  while (performance.now() < untilMs) {
    const one = ids[waits.length % ids.length];
    const begunMs = performance.now();
    await one?.owner.client.jobs.get(one.id);
    waits.push(performance.now() - begunMs);
    await pause(20);
  }
  const health = await healthy();
  const late = latenesses(journal.slice(begun), options.replyMs);
  const mebibytes = await heldMebibytes(subject.pid);
  return {
    isSound: parseSubmitted().length === options.jobs,
    lines: [
      `${options.jobs} jobs at a provider that takes ${options.replyMs} ms: ${late.length} reads, ` +
        `${(late.length / options.seconds).toFixed(0)} a second`,
      `reads past their time: p50 ${figure(late, 0.5)}, p99 ${figure(late, 0.99)}, ` +
        `latest ${figure(late, 1)} (bar: 2,000 ms)`,
      `GET /jobs/{id} beside it: p50 ${figure(waits, 0.5)}, p99 ${figure(waits, 0.99)} (bar: 50 ms)`,
      `GET /healthz beside it: p50 ${figure(health, 0.5)}, p99 ${figure(health, 0.99)} (bar: 50 ms)`,
      `memory of the service: ${mebibytes.toFixed(0)} MiB (bar: 1,024 MiB)`,
    ],
  };
}

interface Submitted {
  readonly owner: Account;
  readonly id: string;
}

function submitAll(accounts: readonly Account[], jobs: number): Promise<Submitted[]> {
  const each = Array.from({ length: jobs }, (_, at) => at);
  return inParallel(each, async (at) => {
    const owner = accounts[at % accounts.length];
    if (owner === undefined) throw new Error("There is no account to submit from.");
    const prompt = `kite ${at} sim:slow=9000000`;
    const { id } = await owner.client.generate.image({ model: providerModel, prompt });
    return { owner, id };
  });
}

/** Delays of reads beyond their due time; the provider's reply time is not counted as delay. */
function latenesses(calls: readonly Call[], replyMs: number): number[] {
  const lastByJob = new Map<string, number>();
  const late: number[] = [];
  for (const { method, job, atMs } of calls) {
    if (method !== "GET" || job === undefined) continue;
    const last = lastByJob.get(job);
    if (last !== undefined) late.push(Math.max(0, atMs - last - readMs - replyMs));
    lastByJob.set(job, atMs);
  }
  return late;
}

function figure(values: readonly number[], share: number): string {
  return `${percentile(values, share).toFixed(0)} ms`;
}
