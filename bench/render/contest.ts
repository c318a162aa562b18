/**
 * Peer and Klieg by turns under the same load, so that a drifting machine drifts for both; medians
 * of the rounds, and the table that is printed of them.
 */
import type { DiskFigures } from "../disk.ts";
import { type Figures, medians } from "../figures.ts";
import { drive, type Load, type LoadResult, type Requests } from "../load/load.ts";
import { processorTimeUs } from "../machine/processor-time.ts";
import type { ServerProcess } from "../server-process.ts";

export interface Course {
  readonly seconds: number;
  readonly connections: number;
  readonly threads: number;
  readonly rounds: number;
}

export interface Contest {
  readonly peer: readonly Figures[];
  readonly subject: readonly Figures[];
  /** Klieg's answers in all rounds, warm-up included. */
  readonly answered: number;
  readonly refused: number;
  readonly broken: number;
  /** Klieg's answers in the warm-up, the one run that looks at every status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const warmUpSeconds = 2;

export interface Rounds {
  /** The requests of one run; they differ between runs where they must. */
  readonly requests: () => Requests;
  /** Resolves when Klieg has finished a run's work, so that it does not slow the peer. */
  readonly rest: () => Promise<unknown>;
}

export async function compete(
  course: Course,
  peer: ServerProcess,
  subject: ServerProcess,
  { requests, rest }: Rounds,
  say: (line: string) => void,
): Promise<Contest> {
  const load = (more: Partial<Load>): Load => ({
    ...course,
    requests: requests(),
    countStatuses: false,
    ...more,
  });
  const results: LoadResult[] = [];
  const figures: Record<"peer" | "subject", Figures[]> = { peer: [], subject: [] };
  await drive(peer.origin, load({ seconds: warmUpSeconds }));
  const warmUp = await drive(subject.origin, load({ seconds: warmUpSeconds, countStatuses: true }));
  results.push(warmUp);
  for (let round = 1; round <= course.rounds; round++) {
    await rest();
    figures.peer.push((await measured(peer, load({}))).figures);
    const { figures: own, result } = await measured(subject, load({}));
    figures.subject.push(own);
    results.push(result);
    say(`round ${round} of ${course.rounds}: ${Math.round(own.requestsPerSecond)} requests/s`);
  }
  return { ...figures, ...sums(results), statuses: warmUp.statuses };
}

async function measured(server: ServerProcess, load: Load) {
  const { pid } = server;
  const beforeUs = pid === undefined ? 0 : await processorTimeUs(pid);
  const result = await drive(server.origin, load);
  const tookUs = pid === undefined ? undefined : (await processorTimeUs(pid)) - beforeUs;
  const figures: Figures = {
    requestsPerSecond: result.requests / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    processorUs: tookUs === undefined ? undefined : tookUs / result.requests,
  };
  return { figures, result };
}

function sums(results: readonly LoadResult[]) {
  const sum = (of: (result: LoadResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    answered: sum(({ requests }) => requests),
    refused: sum(({ refused }) => refused),
    broken: sum(({ broken }) => broken),
  };
}

export function contestTable(title: string, course: Course, contest: Contest, disk: DiskFigures) {
  const peer = medians(contest.peer);
  const subject = medians(contest.subject);
  const ratio = subject.requestsPerSecond / peer.requestsPerSecond;
  const { seconds, connections, threads, rounds } = course;
  return [
    `${title}: ${connections} connections, ${threads} load threads, ` +
      `medians of ${rounds} rounds of ${seconds} s`,
    columns("", "requests/s", "p50 ms", "p99 ms", "CPU us"),
    figuresLine("bare uWS", peer),
    `${figuresLine("klieg", subject)}   ${ratio.toFixed(2)} x bare uWS`,
    `disk: fdatasync of 40 KB p50 ${disk.p50Ms.toFixed(2)} ms, p99 ${disk.p99Ms.toFixed(2)} ms`,
    `rounds: ${contest.subject.map((round) => Math.round(round.requestsPerSecond)).join(", ")}`,
    `answers: ${contest.answered}, of these refused ${contest.refused}; broken ${contest.broken}; ` +
      `statuses of the warm-up ${JSON.stringify(contest.statuses)}`,
  ];
}

function figuresLine(name: string, { requestsPerSecond, p50Ms, p99Ms, processorUs }: Figures) {
  const processor = processorUs === undefined ? "-" : processorUs.toFixed(1);
  const speed = Math.round(requestsPerSecond).toLocaleString("en-US");
  return columns(name, speed, p50Ms.toFixed(2), p99Ms.toFixed(2), processor);
}

function columns(name: string, ...cells: readonly string[]): string {
  return name.padEnd(10) + cells.map((cell) => cell.padStart(11)).join("");
}
