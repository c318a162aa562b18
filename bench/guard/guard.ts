/**
 * Does a request cost more than at another commit? Builds that commit in a folder of its own,
 * starts its service and the tree's, and loads both by turns (A B, B A, A B, ...), so that a
 * drifting machine drifts for both.
 *
 * It measures processor time, not speed: speed is the machine's as well, and the load generator
 * shares it. It says nothing about latency, memory or many processors.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readClientSettings } from "../../config/settings.ts";
import { describeMachine } from "../machine/machine.ts";
import { lookAtMachine, measureRest, othersShare, restShareMax } from "../machine/rest.ts";
import { chooseNames, readCount } from "../options.ts";
import { UsageError } from "../scenario.ts";
import { ownTree, type Subject, startSubject, stopOnSignals } from "../service/server-process.ts";
import { findTools, type Tools } from "../service/tools.ts";
import { buildCommit, describeTree, findCommit } from "./commit-tree.ts";
import {
  addEntry,
  type Comparison,
  describeEntry,
  describeResult,
  type GuardResult,
  judge,
} from "./comparison.ts";
import { type GuardedSide, type Measure, measures, openAccounts } from "./measures.ts";

export interface GuardOptions {
  readonly commit: string;
  readonly measures: readonly Measure[];
  readonly rounds: number;
  readonly seconds: number;
  readonly isRecorded: boolean;
}

export const guardUsage = `guard <commit>  processor time of a request, beside that commit by turns
    --only NAMES     with commas between (${measures.map(({ name }) => name).join(",")})
    --rounds N       of each (6)
    --seconds N      of one round (5)
    --record         writes an entry into bench/RESULTS.md
    exit code 0: nothing costs over 5 % more; 1: something does; 3: the machine is not at rest
`;

const exitCodes = { kept: 0, dearer: 1, untrusted: 3 } as const;

/** Throws `UsageError`, or an error of `parseArgs`. */
export function readGuardOptions(args: readonly string[]): GuardOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: "string" },
      rounds: { type: "string", default: "6" },
      seconds: { type: "string", default: "5" },
      record: { type: "boolean", default: false },
    },
  });
  const [commit, ...more] = positionals;
  if (commit === undefined || more.length > 0)
    throw new UsageError("Give the guard one commit to compare with.");
  const names = chooseNames(
    values.only,
    measures.map(({ name }) => name),
  );
  return {
    commit,
    measures: measures.filter(({ name }) => names.includes(name)),
    rounds: readCount("rounds", values.rounds),
    seconds: readCount("seconds", values.seconds),
    isRecorded: values.record,
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs the guard and prints its findings; resolves to the exit code. */
export async function guard(options: GuardOptions, environment: Environment): Promise<number> {
  const { dataDir } = readClientSettings(environment);
  const hash = await findCommit(ownTree, options.commit);
  report(`building ${hash.slice(0, 12)}`);
  await mkdir(dataDir, { recursive: true });
  const { folder } = await buildCommit(ownTree, hash, join(dataDir, "bench-commits"), environment);
  const atStart = await measureRest();
  if (atStart > restShareMax) report("warning: the machine is not at rest");
  const bench = { options, environment, dataDir, trees: [folder, ownTree], others: [atStart] };
  const comparisons: Comparison[] = [];
  for (const needsFarm of [false, true]) comparisons.push(...(await measureAll(bench, needsFarm)));
  const result: GuardResult = {
    base: hash.slice(0, 12),
    tree: await describeTree(ownTree),
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    comparisons,
    others: bench.others,
  };
  process.stdout.write(`${describeResult(result).join("\n")}\n`);
  if (options.isRecorded) await record(result);
  return exitCodes[judge(result)];
}

interface Bench {
  readonly options: GuardOptions;
  readonly environment: Environment;
  readonly dataDir: string;
  /** Folder of the base commit, then that of the tree itself. */
  readonly trees: readonly string[];
  readonly others: number[];
}

/** Runs all measures of one kind against the same two services. */
async function measureAll(bench: Bench, needsFarm: boolean): Promise<Comparison[]> {
  const { options, environment, dataDir, trees } = bench;
  const chosen = options.measures.filter((measure) => measure.needsFarm === needsFarm);
  if (chosen.length === 0) return [];
  const tools = await findTools(environment);
  const subjects: Subject[] = [];
  const stop = () => Promise.all(subjects.map((subject) => subject.stop()));
  const revoke = stopOnSignals(stop);
  try {
    for (const tree of trees) {
      const settings = { ...readClientSettings(environment), url: undefined, dataDir };
      subjects.push(await startSubject(settings, needsFarm ? 1 : 0, environment, tree));
    }
    const sides = await Promise.all(subjects.map((subject) => openSide(subject, options, tools)));
    const comparisons: Comparison[] = [];
    for (const measure of chosen) comparisons.push(await compare(measure, sides, bench));
    return comparisons;
  } finally {
    revoke();
    await stop();
  }
}

async function openSide(
  subject: Subject,
  { seconds }: GuardOptions,
  tools: Tools,
): Promise<GuardedSide> {
  return { subject, accounts: await openAccounts(subject), seconds, tools };
}

async function compare(
  measure: Measure,
  sides: readonly GuardedSide[],
  { options, others }: Bench,
): Promise<Comparison> {
  const [base, tree] = [[] as number[], [] as number[]];
  const runs = [];
  for (const [at, side] of sides.entries())
    runs.push({ once: await measure.open(side), figures: at === 0 ? base : tree });
  // The first round only warms up caches and compilers, and is not counted.
  for (const { once } of runs) await once();
  for (let round = 0; round < options.rounds; round++) {
    const before = await lookAtMachine();
    for (const { once, figures } of round % 2 === 0 ? runs : runs.toReversed())
      figures.push(await once());
    others.push(othersShare(before, await lookAtMachine()));
    const both = [base, tree].map((figures) => figures.at(-1)?.toFixed(1)).join(" and ");
    report(`${measure.name}, round ${round + 1} of ${options.rounds}: ${both} ${measure.unit}`);
  }
  return { name: measure.name, unit: measure.unit, base, tree };
}

async function record(result: GuardResult): Promise<void> {
  const path = join(ownTree, "bench/RESULTS.md");
  await writeFile(path, addEntry(await readFile(path, "utf8"), describeEntry(result)));
  report(`recorded in ${path}`);
}

/** Writes progress for the user to standard error. */
function report(line: string): void {
  process.stderr.write(`${line}\n`);
}
