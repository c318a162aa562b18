/** Runs scenarios one after the other, each with its own services, and gathers their results. */
import { mkdir } from "node:fs/promises";
import { readClientSettings } from "../config/settings.ts";
import { describeTree } from "./guard/commit-tree.ts";
import { measureDisk } from "./machine/disk.ts";
import { describeMachine } from "./machine/machine.ts";
import { measureRest, restShareMax, watchOthers } from "./machine/rest.ts";
import type { BenchResult, ScenarioResult } from "./report/result.ts";
import { describeScenario } from "./report/table.ts";
import { type Plan, type Scenario, type Setting, type Start, UsageError } from "./scenario.ts";
import { ownTree, type Subject, startSubject, stopOnSignals } from "./service/server-process.ts";

export interface Task {
  readonly name: string;
  readonly scenario: Scenario;
  readonly plan: Plan;
}

type Environment = Readonly<Record<string, string | undefined>>;

export async function runTasks(
  tasks: readonly Task[],
  environment: Environment,
  print: (line: string) => void,
): Promise<BenchResult> {
  const { dataDir } = readClientSettings(environment);
  await mkdir(dataDir, { recursive: true });
  const disk = await measureDisk(dataDir);
  const atStart = await measureRest();
  if (atStart > restShareMax) report("warning: the machine is not at rest");
  const scenarios: ScenarioResult[] = [];
  for (const [at, task] of tasks.entries()) {
    const say = (line: string) => report(`[${at + 1}/${tasks.length}] ${task.name}: ${line}`);
    say(task.scenario.question);
    const result = await runTask(task, environment, say, tasks.length > 1);
    for (const line of describeScenario(result)) print(line);
    scenarios.push(result);
  }
  return {
    format: 1,
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    commit: await describeTree(ownTree).catch(() => "unknown"),
    machine: describeMachine(),
    disk,
    scenarios,
  };
}

/** Runs a scenario. When one of several fails, it is reported and the others are still run. */
async function runTask(
  { name, scenario, plan }: Task,
  environment: Environment,
  say: (line: string) => void,
  isOneOfSeveral: boolean,
): Promise<ScenarioResult> {
  const { question, excludes } = scenario;
  const begunMs = performance.now();
  const others = watchOthers();
  const { setting, close } = makeSetting(environment, say);
  const revoke = stopOnSignals(close);
  try {
    const finding = await plan(setting).catch((fault: unknown) => {
      if (!isOneOfSeveral || fault instanceof UsageError) throw fault;
      return { isSound: false, lines: [`failed: ${fault instanceof Error ? fault.stack : fault}`] };
    });
    const seconds = (performance.now() - begunMs) / 1_000;
    return { name, question, excludes, seconds, others: await others.stop(), ...finding };
  } finally {
    await others.stop();
    revoke();
    await close();
  }
}

function makeSetting(environment: Environment, say: (line: string) => void) {
  const settings = readClientSettings(environment);
  const subjects: Subject[] = [];
  const start = async (wanted: Start = {}): Promise<Subject> => {
    if (wanted.mustBeOwn === true && settings.url !== undefined)
      throw new UsageError("It measures services that it starts itself; unset KLIEG_URL.");
    const all = { ...environment, ...wanted.environment };
    const subject = await startSubject(settings, wanted.farmWorkers ?? 0, all);
    subjects.push(subject);
    return subject;
  };
  const setting: Setting = {
    start,
    isRemote: settings.url !== undefined,
    dataDir: settings.dataDir,
    environment,
    say,
  };
  return { setting, close: () => Promise.all(subjects.map((subject) => subject.stop())) };
}

/** Writes progress for the user to standard error. */
function report(line: string): void {
  process.stderr.write(`${line}\n`);
}
