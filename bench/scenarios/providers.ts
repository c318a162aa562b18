/** How many jobs can be at a slow provider, and what do they cost all other requests? */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { limits } from "../../config/limits.ts";
import { openReplicate } from "../../test/providers/real-time.ts";
import type { ReplicateSimulator } from "../../test/providers/replicate-simulator.ts";
import type { Call } from "../../test/providers/simulator.ts";
import { type Account, createAccounts, inParallel } from "../load/accounts.ts";
import { residentMebibytes } from "../machine/memory.ts";
import type { Finding } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import { readCount, type Scenario, type Setting } from "../scenario.ts";
import { watchHealth } from "../service/health.ts";
import type { Subject } from "../service/server-process.ts";

interface Options {
  readonly jobs: number;
  readonly seconds: number;
  readonly replyMs: number;
}

/** Number of jobs that an account on the bench's plan may run at a time. */
const jobsPerAccount = 8;
/** Interval between reads of a job at a provider, which jitter shortens; see `readDelayMs`. */
const { readMs } = limits.providers;

let simulator: ReplicateSimulator | undefined;
let replyMs = 0;

export const providers: Scenario = {
  question: "What do jobs at a slow provider cost everything else?",
  excludes: "providers that call back",
  options: [
    "--jobs N         at the provider at a time (5000)",
    "--seconds S      that are measured (30)",
    "--reply MS       that the provider takes for an answer (300)",
  ],
  plan: (args) => {
    const options = readOptions(args);
    replyMs = options.replyMs;
    return (setting) => measure(options, setting);
  },
};

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      jobs: { type: "string", default: "5000" },
      seconds: { type: "string", default: "30" },
      reply: { type: "string", default: "300" },
    },
  });
  return {
    jobs: readCount("jobs", values.jobs),
    seconds: readCount("seconds", values.seconds),
    replyMs: readCount("reply", values.reply),
  };
}

/** Starts the provider, before the service that is configured to use it. */
async function prepare() {
  const slow = async (_: Call, moment: "before" | "after") => {
    if (moment === "before") await pause(replyMs);
  };
  const opened = await openReplicate(slow);
  simulator = opened;
  const folder = await mkdtemp(join(tmpdir(), "klieg-bench-"));
  const { url } = opened;
  const provider = { name: "slow", adapter: "replicate", url, key: { env: "SLOW_KEY" } };
  const [providersFile, modelsFile] = [join(folder, "providers.json"), join(folder, "models.json")];
  await writeFile(providersFile, JSON.stringify({ providers: [provider] }));
  await writeFile(modelsFile, JSON.stringify(catalogue));
  return {
    environment: {
      SLOW_KEY: opened.key,
      KLIEG_PROVIDERS: providersFile,
      KLIEG_MODELS: modelsFile,
    },
    async close() {
      opened.close();
      await rm(folder, { recursive: true });
    },
  };
}

const catalogue = {
  version: "bench",
  updated_at: "2026-11-20T00:00:00Z",
  models: [
    {
      id: "slow",
      aliases: [],
      display_name: "Slow",
      description: "",
      modality: "image",
      operations: ["generate"],
      status: "available",
      plans: [],
      defaults: {},
      limits: { prompt_max: 100, "image.num_images_max": 1 },
      options: {},
      capabilities: {},
      prompt_required: true,
      provider_options: false,
      default_for: [],
      price: { base: 1, per: {}, multipliers: {}, minimum: 0 },
      typical_seconds: 600,
      deadline_seconds: 3_600,
      inline_submit_ms: 0,
      provider: "slow",
      provider_model: "kites/slow",
      mapping: { prompt: "$prompt" },
    },
  ],
};

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const prepared = await prepare();
  try {
    const subject = await setting.start({ environment: prepared.environment, mustBeOwn: true });
    return await watchJobs(options, subject, setting).finally(() => subject.stop());
  } finally {
    await prepared.close();
  }
}

async function watchJobs(options: Options, subject: Subject, { say }: Setting): Promise<Finding> {
  if (simulator === undefined || subject.pid === undefined)
    throw new Error("The service must be one that this bench starts.");
  const { journal } = simulator;
  const crowd = await createAccounts(
    subject.origin,
    subject.token,
    Math.ceil(options.jobs / jobsPerAccount),
  );
  const ids = await submitAll(crowd, options.jobs);
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
    await one?.member.client.jobs.get(one.id);
    waits.push(performance.now() - begunMs);
    await pause(20);
  }
  const health = await healthy();
  const late = latenesses(journal.slice(begun), options.replyMs);
  const mebibytes = await residentMebibytes(subject.pid);
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
  readonly member: Account;
  readonly id: string;
}

function submitAll(crowd: readonly Account[], jobs: number): Promise<Submitted[]> {
  const each = Array.from({ length: jobs }, (_, at) => at);
  return inParallel(each, async (at) => {
    const member = crowd[at % crowd.length];
    if (member === undefined) throw new Error("There is no account to submit from.");
    const prompt = `kite ${at} sim:slow=9000000`;
    const { id } = await member.client.generate.image({ model: "slow", prompt });
    return { member, id };
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
