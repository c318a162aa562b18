import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readClientSettings } from "../config/settings.ts";
import { guard, guardUsage, readGuardOptions } from "./guard/guard.ts";
import { type CommonOptions, commonUsage, readCommonOptions } from "./options.ts";
import { describeComparison } from "./report/comparison.ts";
import { writePage } from "./report/page.ts";
import type { BenchResult } from "./report/result.ts";
import { describeCircumstances } from "./report/table.ts";
import { runTasks, type Task } from "./run.ts";
import { UsageError } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

process.exitCode = await run(process.argv.slice(2));

async function run([name = "", ...args]: readonly string[]): Promise<number> {
  const isKnown = ["all", "guard"].includes(name) || Object.hasOwn(scenarios, name);
  if (!isKnown || args.includes("--help")) {
    process.stderr.write(isKnown ? usage(name) : usage());
    return isKnown || name === "--help" ? 0 : 2;
  }
  try {
    return name === "guard" ? await runGuard(args) : await runScenarios(name, args);
  } catch (fault) {
    if (!isUsage(fault)) throw fault;
    process.stderr.write(`${fault.message}\n${usage(name)}`);
    return 2;
  }
}

async function runScenarios(name: string, args: readonly string[]): Promise<number> {
  const options = readCommonOptions(args);
  const before = options.againstFile && (await readResult(options.againstFile));
  const tasks = name === "all" ? planAll(options) : [planOne(name, options)];
  const result = await runTasks(tasks, process.env, print);
  print(describeCircumstances(result));
  if (before) for (const line of describeComparison(before, result)) print(line);
  const { dataDir } = readClientSettings(process.env);
  const page = options.htmlFile ?? (name === "all" ? join(dataDir, "bench.html") : undefined);
  if (page !== undefined) {
    await writeFile(page, before ? writePage(result, before) : writePage(result));
    print(`the report: ${page}`);
  }
  if (options.jsonFile !== undefined)
    await writeFile(options.jsonFile, `${JSON.stringify(result, undefined, 1)}\n`);
  return result.scenarios.every(({ isSound }) => isSound) ? 0 : 1;
}

function planOne(name: string, { rest, isQuick }: CommonOptions): Task {
  const scenario = scenarios[name];
  if (scenario === undefined) throw new UsageError(`There is no scenario "${name}".`);
  // When an option is repeated, its last value counts, so the user's options come last.
  const args = isQuick ? [...(scenario.quick ?? []), ...rest] : rest;
  return { name, scenario, plan: scenario.plan(args) };
}

function planAll(options: CommonOptions): Task[] {
  if (options.rest.length > 0)
    throw new UsageError(`${options.rest.join(" ")}: all takes no options of single scenarios.`);
  return Object.entries(scenarios)
    .filter(([, { quick }]) => quick !== undefined)
    .map(([name]) => planOne(name, options));
}

async function readResult(path: string): Promise<BenchResult> {
  const result = JSON.parse(await readFile(path, "utf8")) as BenchResult;
  if (result.format !== 1) throw new UsageError(`${path} is no result of this bench.`);
  return result;
}

/** Exit code 1 means that something costs more, so a failure has a different code. */
async function runGuard(args: readonly string[]): Promise<number> {
  try {
    return await guard(readGuardOptions(args), process.env);
  } catch (fault) {
    if (isUsage(fault)) throw fault;
    process.stderr.write(`The guard failed: ${fault instanceof Error ? fault.stack : fault}\n`);
    return 4;
  }
}

/** Errors that `parseArgs` throws for unknown options count as usage errors too. */
function isUsage(fault: unknown): fault is Error {
  return (
    fault instanceof UsageError ||
    (fault instanceof TypeError && "code" in fault && /^ERR_PARSE_ARGS_/.test(`${fault.code}`))
  );
}

function usage(only?: string): string {
  const chosen = Object.entries(scenarios).filter(
    ([name]) => only === undefined || only === "all" || name === only,
  );
  const parts = chosen.map(
    ([name, { question, options }]) =>
      `${name.padEnd(12)}${question}\n${options.map((option) => `    ${option}\n`).join("")}`,
  );
  const all = "all         every scenario that has a quick form, for a first look at a machine\n";
  const common = commonUsage.map((option) => `    ${option}\n`).join("");
  return `npm run bench -- <scenario>|all|guard [options]
${parts.join("")}${all}${guardUsage}Options of every scenario:
${common}It starts services of its own on empty stores beside the data directory's, unless
KLIEG_URL and KLIEG_TOKEN (an operator's) name one; that one has no peers beside it.
`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
