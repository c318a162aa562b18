/**
 * Runs test files and counts the assertions in what they print (TAP). Some processes run side by
 * side. Files that start services, browsers or encoders have a process each, and files that do all
 * in their own share one with others of their folder. A line a process as it ends; the last line is
 * `12 passed, 1 failed`.
 *
 * tap's own runner puts loader hooks, which measure coverage, into every process that a test
 * starts. Nobody measures coverage here, and a process needs twice as long to start with them.
 */
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { Parser, type Result } from "tap-parser";
import { killIfRunning } from "./render-farm/child-processes.ts";

/** On two cores two more processes work while others wait for peers, timers and disks. */
const processesAtOnce = 4;
/** Time limit of a process that hangs; a test inside it has the same limit. */
const processMs = 900_000;
/** Folders whose tests spend most of their time on processes that they start. */
const foldersApart = /\/(?:clients|console|crash|render-farm|long(?:\/\w+)?)$/;
/** Files of the other folders in one process: enough to load modules rarely. */
const filesTogether = 16;
/** Program that runs several files. */
const runTogether = fileURLToPath(new URL("run-together.js", import.meta.url));
/** Module that each process loads first. */
const preloaded = new URL("without-async-hooks.js", import.meta.url).href;

interface Outcome {
  readonly passed: number;
  /** Duration that the process itself reports. */
  readonly timeMs: number;
  readonly failures: readonly string[];
  /** The end of the file's error stream, when something failed. */
  readonly errors: string;
}

/** Process groups of what runs; each is ended with its first process. */
const groups = new Set<number>();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    for (const pid of groups) killGroup(pid);
    process.exit(1);
  });

const waiting = groupFiles(process.argv.slice(2)).values();
let passed = 0;
let failed = 0;

/** Returns the files of each process; first those that have one of their own and take longest. */
function groupFiles(files: readonly string[]): readonly (readonly string[])[] {
  const apart: string[][] = [];
  const together: string[][] = [];
  for (const file of files) {
    const last = together.at(-1);
    const isFolderOf = (other = "") => dirname(other) === dirname(file);
    if (foldersApart.test(dirname(file))) apart.push([file]);
    else if (last !== undefined && last.length < filesTogether && isFolderOf(last[0]))
      last.push(file);
    else together.push([file]);
  }
  return [...apart, ...together];
}

async function runWaiting(): Promise<void> {
  for (const files of waiting) {
    const outcome = await run(files);
    passed += outcome.passed;
    failed += outcome.failures.length;
    const mark = outcome.failures.length === 0 ? "passed" : "FAILED";
    const more = files.length === 1 ? "" : ` and ${files.length - 1} more`;
    print(`${mark} ${files[0]}${more} ${outcome.passed} in ${Math.round(outcome.timeMs)} ms`);
    if (outcome.failures.length > 0) print([...outcome.failures, outcome.errors].join("\n"));
  }
}

/** Runs files; a process that ends badly without a failed assertion counts as one failure. */
async function run(files: readonly string[]): Promise<Outcome> {
  const program = files.length === 1 ? files : [runTogether, ...files];
  const child = spawn(
    process.execPath,
    ["--enable-source-maps", "--import", preloaded, ...program],
    {
      env: { ...process.env, TAP_TIMEOUT: `${processMs / 1000}` },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    },
  );
  if (child.pid !== undefined) groups.add(child.pid);
  const patience = setTimeout(() => killGroup(child.pid), processMs);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", () => killGroup(child.pid));
    child.once("close", (code, signal) => {
      clearTimeout(patience);
      resolve(code === 0 ? "" : `it ended by ${signal ?? code}`);
    });
  });
  const [report, errors, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);

  let count = 0;
  const failures: string[] = [];
  const parser = new Parser();
  parser.on("pass", () => count++);
  parser.on("fail", (result: Result) => failures.push(describe(result)));
  parser.end(report);
  if (failures.length === 0 && (end !== "" || parser.results?.ok !== true || count === 0))
    failures.push(`  ${end || "its report is not whole"}`);
  return {
    passed: count,
    timeMs: parser.results?.time ?? 0,
    failures,
    errors: errors.trimEnd().split("\n").slice(-20).join("\n"),
  };
}

/** Kills the processes that tests have started and left behind. */
function killGroup(pid: number | undefined): void {
  if (pid !== undefined && groups.delete(pid)) killIfRunning(-pid);
}

function describe({ fullname, diag }: Result): string {
  const details = Object.entries((diag ?? {}) as Record<string, unknown>).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : inspect(value)}`,
  );
  return [fullname, ...details].join("\n").replaceAll(/^/gm, "  ");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await Promise.all(Array.from({ length: processesAtOnce }, runWaiting));
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
