/** What do event streams cost, and how late is an event? */
import { inParallel } from "../load/accounts.ts";
import { holdRequests } from "../load/held-requests.ts";
import { readEndTimes, submitSlowJobs } from "../load/slow-jobs.ts";
import { readOptions } from "../options.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

interface Options {
  readonly streams: number;
  readonly watchers: number;
}

export const streams: Scenario = {
  question: "What do event streams cost, and how late is the event of a job's end?",
  excludes: "tickets, which are minted before; proxies between; streams that reconnect",
  options: ["--streams N      open at a time (10000)", "--watchers N     of one job (10)"],
  quick: ["--streams", "2000"],
  plan: (args) => {
    const options = readOptions(args, { streams: 10_000, watchers: 10 });
    return (setting) => measure(options, setting);
  },
};

async function measure({ streams: count, watchers }: Options, setting: Setting): Promise<Finding> {
  const subject = await setting.start();
  const jobs = await submitSlowJobs(subject, Math.ceil(count / watchers), 10_000 + 4 * count);
  const host = new URL(subject.origin).host;
  const watched = Array.from({ length: count }, (_, at) => jobs[at % jobs.length]);
  const requests = await inParallel(watched, async (job) => {
    if (job === undefined) throw new Error("There is no job to follow.");
    const { ticket } = await job.owner.client.jobs.ticket(job.id);
    const path = `/v1/jobs/${job.id}/sse?ticket=${ticket}`;
    return { text: `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, jobId: job.id };
  });
  setting.say(`${jobs.length} jobs run, ${requests.length} tickets minted`);
  const isEnd = (text: string) => text.includes("event: complete");
  const { figures, delays, unanswered } = await holdRequests(subject, requests, isEnd, () =>
    readEndTimes(jobs),
  );
  return {
    isSound: unanswered === 0,
    series: [{ name: "klieg", figures, curves: [delays.curve()] }],
    lines: [`${count} streams of ${jobs.length} jobs, ${unanswered} without their last event`],
  };
}
