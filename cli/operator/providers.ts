/** `klieg providers`: lists providers of models with their health, and pauses them. */
import { parseArgs } from "node:util";
import { type Command, onlyArgument, type Session } from "../command.ts";
import { table } from "./table.ts";

export const listProviders: Command = {
  name: "providers",
  usage: "[--json]",
  summary: "List the model providers (scope admin).",
  options: ["--json  print them as JSON"],
  async run(args, { client, terminal }) {
    const options = { json: { type: "boolean", default: false } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const list = await (await client()).admin.providers();
    if (values.json) return terminal.print(JSON.stringify(list));
    const rows = list.items.map(({ name, adapter, status, paused, in_flight, waiting }) => {
      return [name, adapter, paused ? "paused" : status, `${in_flight}`, `${waiting}`];
    });
    const head = ["PROVIDER", "ADAPTER", "STATUS", "IN FLIGHT", "WAITING"];
    for (const line of table(head, rows)) terminal.print(line);
  },
};

export const pauseProvider: Command = {
  name: "providers pause",
  usage: "<name>",
  summary: "Hold back a provider's jobs, even after a restart (scope admin).",
  options: [],
  run: (args, session) => setPaused(args, session, true),
};

export const resumeProvider: Command = {
  name: "providers resume",
  usage: "<name>",
  summary: "Resume a paused provider (scope admin).",
  options: [],
  run: (args, session) => setPaused(args, session, false),
};

async function setPaused(
  args: readonly string[],
  { client, terminal }: Session,
  isPaused: boolean,
): Promise<void> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const name = onlyArgument(positionals, "the provider");
  const { admin } = await client();
  await (isPaused ? admin.pauseProvider(name) : admin.resumeProvider(name));
  terminal.print(isPaused ? `${name} is paused; its jobs wait.` : `${name} receives work again.`);
}
