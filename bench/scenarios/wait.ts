/** What do clients that wait for their jobs cost, and how soon do they get the answer? */
import { holdRequests } from "../load/held-requests.ts";
import { writeGet } from "../load/requests.ts";
import { readEndTimes, submitSlowJobs } from "../load/slow-jobs.ts";
import { readOptions } from "../options.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

export const wait: Scenario = {
  question: "What do clients cost that wait for their jobs, and how late are they answered?",
  excludes: "proxies between; the sockets' memory in the kernel",
  options: ["--waits N        held at a time, one a job (10000)"],
  quick: ["--waits", "2000"],
  plan: (args) => {
    const { waits } = readOptions(args, { waits: 10_000 });
    return (setting) => measure(waits, setting);
  },
};

async function measure(waits: number, { start, say }: Setting): Promise<Finding> {
  const subject = await start();
  const jobs = await submitSlowJobs(subject, waits, 10_000 + 3 * waits);
  say(`${jobs.length} jobs run`);
  const host = new URL(subject.origin).host;
  const requests = jobs.map(({ id, owner }) => ({
    text: writeGet(`/v1/jobs/${id}/wait?timeout_seconds=300`, host, owner.token),
    jobId: id,
  }));
  const isEnd = (text: string) => text.includes('"completed_at":"');
  const { figures, delays, unanswered } = await holdRequests(subject, requests, isEnd, () =>
    readEndTimes(jobs),
  );
  return {
    isSound: unanswered === 0,
    series: [{ name: "klieg", figures, curves: [delays.curve()] }],
    lines: [`${waits} waits, ${unanswered} without an answer`],
  };
}
