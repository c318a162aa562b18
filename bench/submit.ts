/** How many durable submits a second, beside bare uWS with the same bodies? */

import { measureDisk } from "./disk.ts";
import { balanced, countJobs, createCrowd, type Member, settled } from "./load/crowd.ts";
import { type LoadOptions, loadOptions, readLoadOptions } from "./load/load-options.ts";
import { writeSubmits } from "./load/requests.ts";
import type { Finding, Question, Setting } from "./question.ts";
import { type Contest, compete, contestTable } from "./render/contest.ts";
import { startPeer } from "./server-process.ts";

const sampledAccounts = 25;

export const submit: Question = {
  summary: "durable submits, beside bare uWS with the same bodies",
  options: loadOptions,
  farmWorkers: 0,
  plan: (args) => {
    const options = readLoadOptions(args);
    return (setting) => measure(options, setting);
  },
};

async function measure(
  { course, accounts }: LoadOptions,
  { subject, say }: Setting,
): Promise<Finding> {
  const crowd = await createCrowd(subject.origin, subject.token, accounts);
  say(`${crowd.length} accounts created`);
  const host = new URL(subject.origin).host;
  const peer = await startPeer(subject.folder, await sampleAnswer(subject.origin, crowd));
  try {
    const disk = await measureDisk(subject.folder);
    const before = await countJobs(crowd);
    let run = 0;
    const sample = everyNth(crowd, Math.max(1, Math.floor(crowd.length / sampledAccounts)));
    // A listing waits until all that came before it is in the tables.
    const rounds = {
      requests: () => writeSubmits(crowd, host, ++run),
      rest: () => countJobs(sample),
    };
    const contest = await compete(course, peer, subject, rounds, say);
    say("waiting until every job has ended");
    const open = await settled(crowd);
    const jobs = (await countJobs(crowd)) - before;
    const sound = await balanced(sample);
    const isSound =
      isAccountedFor(contest, jobs, course.connections * (course.rounds + 1)) &&
      open === 0 &&
      sound === sample.length;
    return {
      isSound,
      lines: [
        ...contestTable("submit", course, contest, disk),
        `jobs: ${jobs} exist, ${open} not terminal; ledgers: ${sound} of ${sample.length} balance`,
      ],
    };
  } finally {
    await peer.stop();
  }
}

/** The 202's body as it is on the wire. */
async function sampleAnswer(origin: string, crowd: readonly Member[]): Promise<string> {
  const response = await fetch(`${origin}/v1/generate/image`, {
    method: "POST",
    headers: { authorization: `Bearer ${crowd[0]?.token}`, "content-type": "application/json" },
    body: '{"model":"sim-instant","prompt":"a red kite over dunes at dusk, sample"}',
  });
  const body = await response.text();
  if (response.status !== 202) throw new Error(`A submit was answered ${response.status}: ${body}`);
  return body;
}

/** Jobs without an answer are those on their way when a run's clock stopped. */
function isAccountedFor({ answered, refused }: Contest, jobs: number, cutOff: number): boolean {
  const accepted = answered - refused;
  return refused === 0 && jobs >= accepted && jobs <= accepted + cutOff;
}

function everyNth<T>(items: readonly T[], n: number): T[] {
  return items.filter((_, index) => index % n === 0);
}
