/**
 * `klieg job`, `klieg jobs`, `klieg cancel`: read jobs and cancel one. With --json the service's
 * own object is printed unchanged; otherwise one line per job, and the command that a user would
 * want next.
 */
import { parseArgs } from "node:util";
import { count } from "../actors/count.ts";
import type { Job } from "../clients/typescript/src/generated/models.ts";
import { type Command, onlyArgument, type Session, wholeNumber } from "./command.ts";

export const showJob: Command = {
  name: "job",
  usage: "<job id> [--json]",
  summary: "Show one job.",
  options: ["--json  print it as JSON"],
  run: (args, session) => one(args, session, (client, id) => client.jobs.get(id)),
};

export const cancelJob: Command = {
  name: "cancel",
  usage: "<job id> [--json]",
  summary: "Cancel a queued or running job.",
  options: ["--json  print the canceled job as JSON"],
  run: (args, session) => one(args, session, (client, id) => client.jobs.cancel(id)),
};

export const listJobs: Command = {
  name: "jobs",
  usage: "[options]",
  summary: "List jobs, newest first.",
  options: [
    "--limit N        how many, 1 to 100 (20)",
    "--status STATUS  queued, running, succeeded, failed, canceled; separate several with commas",
    "--cursor CURSOR  continue where an earlier list ended",
    "--json           print the page as JSON",
  ],
  run: list,
};

async function one(
  args: readonly string[],
  session: Session,
  ask: (client: Awaited<ReturnType<Session["client"]>>, id: string) => Promise<Job>,
): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  const id = onlyArgument(positionals, "the job");
  const job = await ask(await session.client(), id);
  if (values.json) session.terminal.print(JSON.stringify(job));
  else for (const line of describe(job)) session.terminal.print(line);
}

async function list(args: readonly string[], { client, terminal }: Session): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      limit: { type: "string", default: "20" },
      status: { type: "string" },
      cursor: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const { status, cursor, json } = values;
  const limit = wholeNumber(values.limit, "--limit");
  const filters = { ...(status && { status }), ...(cursor && { cursor }) };
  const page = await (await client()).jobs.list({ limit, ...filters });
  if (json) {
    terminal.print(JSON.stringify(page));
    return;
  }
  for (const job of page.items)
    terminal.print(
      [job.id, job.status.padEnd(9), job.created_at, job.model, job.summary].join("  "),
    );
  terminal.say(`${page.items.length} of ${count(page.total, "job")}\n`);
  if (page.next_cursor) terminal.say(moreLine("jobs", { limit, ...filters }, page.next_cursor));
}

/** Returns the command that continues a listing with the same filters. */
export function moreLine(
  command: string,
  filters: Readonly<Record<string, string | number | undefined>>,
  cursor: string,
): string {
  const options = Object.entries({ ...filters, cursor }).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`--${name} ${/^[\w.,=-]+$/.test(`${value}`) ? value : `'${value}'`}`],
  );
  return `more: klieg ${command} ${options.join(" ")}\n`;
}

function describe(job: Job): string[] {
  const message =
    job.failure?.message ?? job.cancellation?.message ?? job.status_message ?? undefined;
  const assets = job.assets ?? (job.asset === undefined ? [] : [job.asset]);
  const { progress, credits_charged: charged } = job;
  return [
    `${job.id}  ${job.status}  ${job.model}  ${job.created_at}`,
    job.summary,
    ...(typeof progress === "number" ? [`progress ${Math.floor(progress * 100)} %`] : []),
    ...(message === undefined ? [] : [message]),
    ...(typeof charged === "number"
      ? [`${count(charged, "credit")} charged`]
      : [`${count(job.credits_held ?? 0, "credit")} held`]),
    ...assets.map((asset) => `asset ${asset.id}  ${asset.signed_url}`),
  ];
}
