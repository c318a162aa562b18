/** Shared by loads on Klieg: accounts, a full store, and checks of what must hold at the end. */
import type { Finding } from "../report/result.ts";
import type { Setting, Start } from "../scenario.ts";
import type { Subject } from "../service/server-process.ts";
import {
  type Account,
  countBalanced,
  countJobs,
  createAccounts,
  inParallel,
  untilSettled,
} from "./accounts.ts";
import type { LoadProfile, LoadTarget, NamedProcess, Totals } from "./by-turns.ts";
import { drive } from "./closed-loop.ts";
import { writeGet, writeSubmits } from "./requests.ts";

export interface Loaded {
  readonly subject: Subject;
  readonly accounts: readonly Account[];
  readonly host: string;
  /** Some of the accounts; reading the ledgers of all would take longer than the load itself. */
  readonly sample: readonly Account[];
}

const sampled = 25;
const pageMax = 100;

export async function openLoaded(setting: Setting, count: number, start?: Start): Promise<Loaded> {
  const subject = await setting.start(start);
  const accounts = await createAccounts(subject.origin, subject.token, count);
  setting.say(`${accounts.length} accounts created`);
  const stride = Math.max(1, Math.floor(accounts.length / sampled));
  const sample = accounts.filter((_, at) => at % stride === 0);
  return { subject, accounts, host: new URL(subject.origin).host, sample };
}

export function asTarget(
  { subject, sample }: Loaded,
  load: Pick<LoadTarget, "requests" | "unit" | "requestsEach">,
): LoadTarget {
  const rest = () => untilSettled(sample);
  return {
    name: "klieg",
    origin: subject.origin,
    processes: listProcesses(subject),
    ...load,
    rest,
  };
}

export function listProcesses({ pid }: Pick<Subject, "pid">): NamedProcess[] {
  return pid === undefined ? [] : [{ name: "service", pid }];
}

let runs = 0;

/** Numbers the runs: equal prompts of an account would be one job, so each run has its own. */
export function nextRun(): number {
  runs++;
  return runs;
}

/** Submits at least `jobs` jobs under load, and waits until all have ended. */
export async function fillStore(
  { subject, accounts, host, sample }: Loaded,
  jobs: number,
  say: (line: string) => void,
): Promise<number> {
  let made = 0;
  while (made < jobs) {
    const requests = writeSubmits(accounts, host, nextRun());
    const seconds = Math.min(10, Math.max(1, Math.ceil((jobs - made) / 15_000)));
    const load = { seconds, connections: 256, threads: 2, requests };
    const { requests: sent, refused } = await drive(subject.origin, load);
    if (sent === refused) throw new Error("No job was taken.");
    made += sent - refused;
    say(`${made.toLocaleString("en-US")} jobs made`);
  }
  const open = await untilSettled(sample);
  if (open > 0) throw new Error(`${open} jobs have not ended.`);
  return made;
}

/** Builds reads of about `jobs` jobs, the newest of each account, with the owners' credentials. */
export async function writeReads(
  { accounts, host }: Loaded,
  jobs: number,
): Promise<readonly string[]> {
  const each = Math.ceil(jobs / accounts.length);
  const reads = await inParallel(accounts, async ({ client, token }) => {
    const texts: string[] = [];
    let cursor: string | null | undefined;
    do {
      const limit = Math.min(pageMax, each - texts.length);
      const page = await client.jobs.list({ limit, ...(cursor && { cursor }) });
      for (const { id } of page.items) texts.push(writeGet(`/v1/jobs/${id}`, host, token));
      cursor = page.next_cursor;
    } while (cursor && texts.length < each);
    return texts;
  });
  return reads.flat();
}

/** Returns an answer's body as it is on the wire, so that peers can send the same one. */
export async function sampleAnswer(
  { subject, accounts }: Loaded,
  path: string,
  body?: string,
): Promise<string> {
  const headers = {
    authorization: `Bearer ${accounts[0]?.token}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const method = body === undefined ? "GET" : "POST";
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const response = await fetch(`${subject.origin}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`);
  return text;
}

/** Checks that every job ended, none was lost, and the sampled ledgers balance. */
export async function checkSubmits(
  { accounts, sample }: Loaded,
  before: number,
  { answered, refused, broken }: Totals,
  requestsEach: number,
  { connections, rounds }: LoadProfile,
): Promise<Finding> {
  const open = await untilSettled(accounts);
  const jobs = (await countJobs(accounts)) - before;
  const balanced = await countBalanced(sample);
  const accepted = (answered - refused) / requestsEach;
  // Jobs whose answers were still under way when a round's time was up got no answer.
  const cutOff = connections * (rounds + 1);
  const isCounted = jobs >= Math.floor(accepted - cutOff) && jobs <= accepted + cutOff;
  const isWhole = requestsEach > 1 || jobs >= accepted;
  return {
    isSound:
      refused + broken === 0 && open === 0 && isCounted && isWhole && balanced === sample.length,
    lines: [
      `answers: ${answered}, refused ${refused}, broken ${broken}; jobs: ${jobs} exist, ` +
        `${open} not ended; ledgers: ${balanced} of ${sample.length} balance`,
    ],
  };
}
