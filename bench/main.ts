import { parseArgs } from "node:util";
import { readClientSettings } from "../config/settings.ts";
import type { Question } from "./question.ts";
import { read } from "./read.ts";
import { startSubject } from "./server-process.ts";
import { submit } from "./submit.ts";

const usage = `npm run bench -- submit|read [options]
  submit  durable submits, beside bare uWS with the same bodies
  read    reads of finished jobs, beside bare uWS with the same bytes
  --seconds N      of one round (8)
  --rounds N       of peer and service each (3)
  --connections N  open at once (256)
  --threads N      of the load generator (2)
  --accounts N     that the load comes from (2000)
  --jobs N         made before reading (20000)
It starts a service of its own, on an empty store beside the data directory's, unless KLIEG_URL and
KLIEG_TOKEN name one.`;

const questions: Readonly<Record<string, Question>> = { submit, read };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "256" },
    threads: { type: "string", default: "2" },
    accounts: { type: "string", default: "2000" },
    jobs: { type: "string", default: "20000" },
    help: { type: "boolean", default: false },
  },
});
const question = questions[positionals[0] ?? ""];
const sizes = [values.seconds, values.rounds, values.connections, values.threads, values.accounts];
const isRight = [...sizes, values.jobs].every((size) => /^[1-9]\d{0,5}$/.test(size));
if (question === undefined || positionals.length > 1 || !isRight || values.help) {
  process.stderr.write(`${usage}\n`);
  process.exitCode = values.help ? 0 : 2;
} else process.exitCode = await answer(question);

async function answer(asked: Question): Promise<number> {
  const subject = await startSubject(readClientSettings(process.env), process.env);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void subject.stop().finally(() => process.exit(1)));
  try {
    const { lines, isSound } = await asked({
      subject,
      course: {
        seconds: Number(values.seconds),
        rounds: Number(values.rounds),
        connections: Number(values.connections),
        threads: Number(values.threads),
      },
      accounts: Number(values.accounts),
      jobs: Number(values.jobs),
      say: (line) => process.stderr.write(`${line}\n`),
    });
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (!isSound) process.stdout.write("NOT SOUND: the figures above count for nothing\n");
    return isSound ? 0 : 1;
  } finally {
    await subject.stop();
  }
}
