/**
 * How many jobs a second end by callbacks of a provider? A provider of Replicate's protocol runs
 * each job for a fixed time, then posts a signed callback; the service reads the job there, fetches
 * its picture, has it checked by a farm node, and ends the job. Clients keep a fixed number of jobs
 * under way and wait for each. Most of a job's cost is the farm's, since each picture is read by a
 * process of its own. So few jobs pass that the service's idle work is a part of its own cost.
 *
 * The provider is part of the load generator and shares the processors with the service. A service
 * takes 100 callbacks a second of one provider, as its interface says, and refuses more; a provider
 * sends those again after seconds, so the load stays below that.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Account, createAccounts, inParallel } from "../load/accounts.ts";
import { type BenchProvider, openProvider, providerModel } from "../load/replicate-provider.ts";
import { ownTimeUs, processorTimeUs } from "../machine/processor-time.ts";
import { readOptions } from "../options.ts";
import { Latencies } from "../report/latencies.ts";
import type { Figure, Finding, Series } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";
import type { Subject } from "../service/server-process.ts";

interface Options {
  readonly open: number;
  readonly seconds: number;
  readonly runMs: number;
}

/** How many an account of the bench's plan may have under way at a time. */
const jobsPerAccount = 8;
const warmUpSeconds = 2;
/** The ends of so many jobs are looked up in their histories. */
const sampled = 200;

export const callbacks: Scenario = {
  question: "How many jobs a second end by callbacks of a provider, and how long do they take?",
  excludes: "the network to a provider; results of a real model's size; lost callbacks",
  options: [
    "--open N         jobs under way at a time (8)",
    "--seconds N      that are measured (30)",
    "--run MS         that the provider takes for a job (200)",
  ],
  quick: ["--seconds", "10"],
  plan: (args) => {
    const { run, ...options } = readOptions(args, { open: 8, seconds: 30, run: 200 });
    return (setting) => measure({ ...options, runMs: run }, setting);
  },
};

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const provider = await openProvider({ callsBack: true });
  try {
    const { environment } = provider;
    const subject = await setting.start({ environment, farmWorkers: 1, mustBeOwn: true });
    return await runJobs(options, subject, provider, setting).finally(() => subject.stop());
  } finally {
    await provider.close();
  }
}

interface EndedJob {
  readonly id: string;
  readonly owner: Account;
  /** Seconds from the beginning of the load. */
  readonly at: number;
  /** Beyond the time that the provider took for the job. */
  readonly waitMs: number;
}

async function runJobs(
  { open, seconds, runMs }: Options,
  { origin, token, pid }: Subject,
  { journal }: BenchProvider,
  { say }: Setting,
): Promise<Finding> {
  if (pid === undefined) throw new Error("The service must be one that this bench starts.");
  const accounts = await createAccounts(origin, token, Math.ceil(open / jobsPerAccount));
  const begunMs = performance.now();
  const passed = () => (performance.now() - begunMs) / 1_000;
  const untilSeconds = warmUpSeconds + seconds;
  const ended: EndedJob[] = [];
  const keepOneOpen = async (lane: number) => {
    const owner = accounts[lane % accounts.length];
    if (owner === undefined) throw new Error("There is no account to submit from.");
    for (let job = 0; passed() < untilSeconds; job++) {
      const prompt = `kite ${lane} ${job} sim:slow=${runMs}`;
      const submittedAt = passed();
      const { id } = await owner.client.generate.image({ model: providerModel, prompt });
      await owner.client.jobs.wait(id);
      const at = passed();
      ended.push({ id, owner, at, waitMs: 1_000 * (at - submittedAt) - runMs });
    }
  };
  const lanes = Promise.all(Array.from({ length: open }, (_, lane) => keepOneOpen(lane)));
  await Promise.race([pause(1_000 * warmUpSeconds), lanes]);
  const before = await readCosts(pid);
  await Promise.race([pause(1_000 * seconds), lanes]);
  const after = await readCosts(pid);
  await lanes;
  const measured = ended.filter(({ at }) => at >= warmUpSeconds && at < untilSeconds);
  say(`${measured.length} jobs ended in ${seconds} s`);
  const costs = { own: after.own - before.own, all: after.all - before.all };
  const sample = measured.slice(-sampled);
  const delays = await readDelays(sample);
  const calls = journal.filter(({ method, job }) => method === "GET" && job !== undefined).length;
  return {
    isSound: sample.length > 0 && delays.count === sample.length,
    series: [toSeries(measured, seconds, delays, costs)],
    lines: [
      `called back: ${delays.count} of ${sample.length} jobs whose history was read; ` +
        `${(calls / ended.length).toFixed(1)} reads and fetches at the provider a job`,
    ],
  };
}

async function readCosts(pid: number) {
  return { own: await ownTimeUs(pid), all: await processorTimeUs(pid) };
}

/**
 * From a job's callback to its end, by its history. A job whose callback was lost ends by a regular
 * read, and is left out.
 */
async function readDelays(jobs: readonly EndedJob[]): Promise<Latencies> {
  const delays = new Latencies();
  await inParallel(jobs, async ({ id, owner }) => {
    const { items } = await owner.client.jobs.history(id);
    const callback = items.find(({ type }) => type === "callback_received");
    const end = items.find(({ type }) => type === "terminal");
    if (callback && end) delays.record(Date.parse(end.at) - Date.parse(callback.at));
  });
  return delays;
}

function toSeries(
  jobs: readonly EndedJob[],
  seconds: number,
  delays: Latencies,
  costs: Awaited<ReturnType<typeof readCosts>>,
): Series {
  const waits = new Latencies();
  for (const { waitMs } of jobs) waits.record(waitMs);
  const less = (name: string, unit: string, value: number): Figure => ({
    name,
    unit,
    better: "less",
    rounds: [value],
  });
  const ends = Array.from({ length: seconds }, (_, second) => {
    const isThen = ({ at }: EndedJob) => Math.floor(at - warmUpSeconds) === second;
    return [second + 1, jobs.filter(isThen).length] as const;
  });
  return {
    name: "klieg",
    figures: [
      { name: "jobs", unit: "a second", better: "more", rounds: [jobs.length / seconds] },
      less("p50", "ms beyond the provider's time", waits.percentile(50)),
      less("p99", "ms beyond the provider's time", waits.percentile(99)),
      less("p50 from callback", "ms to the job's end", delays.percentile(50)),
      less("CPU", "us a job", costs.own / jobs.length),
      less("CPU with the farm", "us a job", costs.all / jobs.length),
    ],
    curves: [
      waits.curve(),
      {
        title: "Jobs that ended over time",
        x: { label: "seconds", scale: "linear" },
        y: { label: "a second", scale: "linear" },
        points: ends,
      },
    ],
  };
}
