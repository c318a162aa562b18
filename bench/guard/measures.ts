/**
 * What the guard compares: each measure says what one request costs the service. Only the
 * processor time of the service's own process counts, all of its threads; a film's is that of
 * the service and all processes below it. The load generator's counts nowhere.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Account, createAccounts, inParallel, untilSettled } from "../load/accounts.ts";
import { drive, type Requests } from "../load/closed-loop.ts";
import { writeFollowedSubmits, writeGet, writeSubmits } from "../load/requests.ts";
import { ownTimeUs } from "../machine/processor-time.ts";
import { layOut, makeMedia } from "../render/film-folder.ts";
import { KliegRenderer } from "../render/klieg-renderer.ts";
import type { Subject } from "../service/server-process.ts";
import type { Tools } from "../service/tools.ts";

export interface Measure {
  readonly name: string;
  /** Unit of the measure's figures, with what one figure stands for. */
  readonly unit: string;
  readonly needsFarm: boolean;
  /** Prepares a service and returns the function that runs one of its equal rounds. */
  readonly open: (side: GuardedSide) => Promise<Round>;
}

/** Resolves to the processor time of one request in microseconds. */
export type Round = () => Promise<number>;

export interface GuardedSide {
  readonly subject: Subject;
  readonly accounts: readonly Account[];
  readonly seconds: number;
  readonly tools: Tools;
}

const connections = 256;
const threads = 2;
const accountsMax = 500;
/** Number of accounts whose listings are polled after a load until no job is open. */
const sampled = 25;
const readAccounts = 100;
const pageMax = 100;
const browserStartMs = 2_000;

export const measures: readonly Measure[] = [
  {
    name: "submit",
    unit: "us a submit, to succeeded",
    needsFarm: false,
    open: async (side) => {
      const host = new URL(side.subject.origin).host;
      return () => loadOnce(side, writeSubmits(side.accounts, host, nextRun()), 1);
    },
  },
  {
    name: "end-to-end",
    unit: "us a submit and its wait",
    needsFarm: false,
    open: async (side) => {
      const host = new URL(side.subject.origin).host;
      return () => loadOnce(side, writeFollowedSubmits(side.accounts, host, nextRun()), 2);
    },
  },
  {
    name: "read",
    unit: "us a GET of a job",
    needsFarm: false,
    open: async (side) => {
      const requests = { kind: "random", texts: await writeReads(side) } as const;
      return () => loadOnce(side, requests, 1);
    },
  },
  {
    name: "list",
    unit: "us a listing of 20",
    needsFarm: false,
    open: async (side) => {
      await fill(side);
      const host = new URL(side.subject.origin).host;
      const texts = side.accounts.map(({ token }) => writeGet("/v1/jobs?limit=20", host, token));
      return () => loadOnce(side, { kind: "random", texts }, 1);
    },
  },
  {
    name: "film",
    unit: "us a film of 10 s in 1080p, children included",
    needsFarm: true,
    open: async ({ subject, tools }) => {
      const media = await makeMedia(join(subject.folder, "media"), tools);
      const source = join(subject.folder, "films", "images");
      await layOut("images", source, media);
      await mkdir(join(subject.folder, "made"), { recursive: true });
      const renderer = new KliegRenderer(subject, { everyMs: 50, memoryEveryNth: 0 });
      return async () => {
        const request = { quality: "standard" } as const;
        const made = join(subject.folder, "made", "images.mp4");
        const { cpuSeconds } = await renderer.render(source, request, made);
        // The farm starts the browser of its next film, which is not this one's cost.
        await pause(browserStartMs);
        return 1e6 * cpuSeconds;
      };
    },
  },
];

export function openAccounts({ origin, token }: Subject): Promise<Account[]> {
  return createAccounts(origin, token, accountsMax);
}

let runs = 0;
/** Numbers the runs, so that prompts differ: equal prompts would be one job. */
const nextRun = (): number => ++runs;

/** `each` is the number of requests that make up one unit of what is measured. */
async function loadOnce(
  { subject, accounts, seconds }: GuardedSide,
  requests: Requests,
  each: number,
): Promise<number> {
  const pid = getPid(subject);
  const before = await ownTimeUs(pid);
  const load = { seconds, connections, threads, requests };
  const result = await drive(subject.origin, load);
  if (result.refused + result.broken > 0)
    throw new Error(`${result.refused} requests were refused and ${result.broken} broke.`);
  // Work that is left after the answers counts as the requests' cost too.
  if (requests.kind !== "random") await untilSettled(accounts.slice(0, sampled));
  return (each * ((await ownTimeUs(pid)) - before)) / result.requests;
}

async function fill({ subject, accounts }: GuardedSide): Promise<void> {
  const requests = writeSubmits(accounts, new URL(subject.origin).host, nextRun());
  await drive(subject.origin, { seconds: 3, connections, threads, requests });
  const open = await untilSettled(accounts.slice(0, sampled));
  if (open > 0) throw new Error(`${open} jobs have not ended.`);
}

/** Builds requests that read the newest jobs of some accounts. */
async function writeReads(side: GuardedSide): Promise<string[]> {
  await fill(side);
  const { host } = new URL(side.subject.origin);
  const pages = await inParallel(side.accounts.slice(0, readAccounts), async (account) => {
    const { items } = await account.client.jobs.list({ limit: pageMax });
    return items.map(({ id }) => writeGet(`/v1/jobs/${id}`, host, account.token));
  });
  return pages.flat();
}

function getPid({ pid }: Subject): number {
  if (pid === undefined) throw new Error("The guard measures services that it starts itself.");
  return pid;
}
