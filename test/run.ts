/**
 * Runs test files, some side by side, each in a process of its own, and counts the assertions in
 * what they print (TAP). A line a file as it ends; the last line is `12 passed, 1 failed`.
 *
 * tap's own runner puts loader hooks, which measure coverage, into every process that a test
 * starts. Nobody measures coverage here, and a process needs twice as long to start with them.
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import { Parser, type Result } from "tap-parser";

/** Files at once: on two cores one more works while others wait for peers, timers and disks. */
const filesAtOnce = 3;
/** Time limit of a file that hangs; a test inside it has the same limit. */
const fileMs = 900_000;
/** Module that each file loads first. */
const preloaded = new URL("without-async-hooks.js", import.meta.url).href;

interface Outcome {
  readonly passed: number;
  /** Duration that the file itself reports. */
  readonly timeMs: number;
  readonly failures: readonly string[];
  /** The end of the file's error stream, when something failed. */
  readonly errors: string;
}

/** Process groups of the running files; each group is ended with its file. */
const groups = new Set<number>();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    for (const pid of groups) killGroup(pid);
    process.exit(1);
  });

const files = process.argv.slice(2);
const waiting = files.values();
let passed = 0;
let failed = 0;

async function runWaiting(): Promise<void> {
  for (const file of waiting) {
    const outcome = await run(file);
    passed += outcome.passed;
    failed += outcome.failures.length;
    const mark = outcome.failures.length === 0 ? "passed" : "FAILED";
    print(`${mark} ${file} ${outcome.passed} in ${Math.round(outcome.timeMs)} ms`);
    if (outcome.failures.length > 0) print([...outcome.failures, outcome.errors].join("\n"));
  }
}

/** Runs a file; one that ends badly without a failed assertion counts as one failure. */
async function run(file: string): Promise<Outcome> {
  const child = spawn(process.execPath, ["--enable-source-maps", "--import", preloaded, file], {
    env: { ...process.env, TAP_TIMEOUT: `${fileMs / 1000}` },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  if (child.pid !== undefined) groups.add(child.pid);
  const patience = setTimeout(() => killGroup(child.pid), fileMs);
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

/** Kills the processes that a file has started and left behind. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined || !groups.delete(pid)) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
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

await Promise.all(Array.from({ length: filesAtOnce }, runWaiting));
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
