import { readClientSettings } from "../config/settings.ts";
import { consoleBars } from "./console/console.ts";
import { exporting } from "./export.ts";
import { guard, guardUsage, readGuardOptions } from "./guard/guard.ts";
import { hostile } from "./hostile.ts";
import { latency } from "./latency.ts";
import { nodes } from "./nodes.ts";
import { providers } from "./providers.ts";
import { type Plan, type Question, UsageError } from "./question.ts";
import { read } from "./read.ts";
import { remoteNodes } from "./render/remote-nodes.ts";
import { render } from "./render/render.ts";
import { replicated } from "./replicated.ts";
import { startSubject, stopOnSignals } from "./server-process.ts";
import { share } from "./share.ts";
import { submit } from "./submit.ts";

const questions: Readonly<Record<string, Question>> = {
  ...{ submit, latency, read, render, nodes, hostile, share, providers },
  export: exporting,
  console: consoleBars,
  ...{ farm: remoteNodes, replicated },
};

function usage(): string {
  const parts = Object.entries(questions).map(
    ([name, { summary, options }]) =>
      `${name.padEnd(11)}${summary}\n${options.map((option) => `    ${option}\n`).join("")}`,
  );
  return `npm run bench -- ${Object.keys(questions).join("|")}|guard [options]
${parts.join("")}${guardUsage}It starts a service of its own, on an empty store beside the data
directory's, unless KLIEG_URL and KLIEG_TOKEN name one.
`;
}

process.exitCode = await run(process.argv.slice(2));

async function run([name = "", ...args]: readonly string[]): Promise<number> {
  const question = Object.hasOwn(questions, name) ? questions[name] : undefined;
  if (args.includes("--help") || (question === undefined && name !== "guard")) {
    process.stderr.write(usage());
    return name === "--help" || args.includes("--help") ? 0 : 2;
  }
  try {
    if (question === undefined) return await runGuard(args);
    return await answer(question, question.plan(args));
  } catch (fault) {
    if (!isUsage(fault)) throw fault;
    process.stderr.write(`${fault.message}\n${usage()}`);
    return 2;
  }
}

/** Exit code 1 says that something costs more, so a failure has another. */
async function runGuard(args: readonly string[]): Promise<number> {
  try {
    return await guard(readGuardOptions(args), process.env);
  } catch (fault) {
    if (isUsage(fault)) throw fault;
    process.stderr.write(`The guard failed: ${fault instanceof Error ? fault.stack : fault}\n`);
    return 4;
  }
}

/** Also what `parseArgs` says of options that it does not know. */
function isUsage(fault: unknown): fault is Error {
  return (
    fault instanceof UsageError ||
    (fault instanceof TypeError && "code" in fault && /^ERR_PARSE_ARGS_/.test(`${fault.code}`))
  );
}

async function answer(question: Question, plan: Plan): Promise<number> {
  const { farmWorkers, environment } = question;
  const settings = readClientSettings(process.env);
  const prepared = await question.prepare?.();
  const subject = await startSubject(settings, farmWorkers, {
    ...process.env,
    ...environment,
    ...prepared?.environment,
  });
  stopOnSignals(() => subject.stop());
  try {
    const { lines, isSound } = await plan({
      subject,
      dataDir: settings.dataDir,
      environment: process.env,
      say: (line) => process.stderr.write(`${line}\n`),
    });
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (!isSound) process.stdout.write("NOT SOUND: the figures above count for nothing\n");
    return isSound ? 0 : 1;
  } finally {
    await subject.stop();
    await prepared?.close();
  }
}
