/** How many reads of finished jobs a second, beside bare uWS answering the same bytes? */

import { measureDisk } from "./disk.ts";
import { createCrowd, inParallel, type Member, settled } from "./load/crowd.ts";
import { type LoadOptions, loadOptions, readLoadOptions } from "./load/load-options.ts";
import { writeGet } from "./load/requests.ts";
import type { Finding, Question, Setting } from "./question.ts";
import { compete, contestTable } from "./render/contest.ts";
import { startPeer } from "./server-process.ts";

export const read: Question = {
  summary: "reads of finished jobs, beside bare uWS with the same bytes",
  options: [...loadOptions, "--jobs N         made before reading (20000)"],
  farmWorkers: 0,
  plan: (args) => {
    const options = readLoadOptions(args);
    return (setting) => measure(options, setting);
  },
};

async function measure(
  { course, accounts, jobs }: LoadOptions,
  { subject, say }: Setting,
): Promise<Finding> {
  const crowd = await createCrowd(subject.origin, subject.token, accounts);
  say(`${crowd.length} accounts created`);
  const host = new URL(subject.origin).host;
  const reads = await submitAll(crowd, jobs, host);
  say(`${reads.length} jobs submitted`);
  const open = await settled(crowd);
  const peer = await startPeer(subject.folder, await sampleAnswer(subject.origin, crowd));
  try {
    const disk = await measureDisk(subject.folder);
    const requests = { kind: "random", texts: reads } as const;
    const rounds = { requests: () => requests, rest: async () => {} };
    const contest = await compete(course, peer, subject, rounds, say);
    return {
      isSound: open === 0 && contest.refused === 0,
      lines: [
        ...contestTable("read", course, contest, disk),
        `jobs: ${reads.length} read at random, ${open} not terminal`,
      ],
    };
  } finally {
    await peer.stop();
  }
}

/** Each job's read, with its owner's credential. */
function submitAll(crowd: readonly Member[], jobs: number, host: string): Promise<string[]> {
  const owners = Array.from({ length: jobs }, (_, index) => crowd[index % crowd.length]);
  return inParallel([...owners.entries()], async ([index, owner]) => {
    if (owner === undefined) throw new Error("There is no account to submit from.");
    const prompt = `a red kite over dunes at dusk, number ${index}`;
    const { id } = await owner.client.generate.image({ model: "sim-instant", prompt });
    return writeGet(`/v1/jobs/${id}`, host, owner.token);
  });
}

/** The 200's body of a finished job as it is on the wire. */
async function sampleAnswer(origin: string, crowd: readonly Member[]): Promise<string> {
  const [owner] = crowd;
  const page = await owner?.client.jobs.list({ limit: 1 });
  const response = await fetch(`${origin}/v1/jobs/${page?.items[0]?.id}`, {
    headers: { authorization: `Bearer ${owner?.token}` },
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`A read was answered ${response.status}: ${body}`);
  return body;
}
