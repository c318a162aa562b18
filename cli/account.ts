import { parseArgs } from "node:util";
import { count } from "../actors/count.ts";
import type { Command } from "./command.ts";

export const showAccount: Command = {
  name: "me",
  usage: "[--json]",
  summary: "Show the account: plan, credits, running generations.",
  options: ["--json  print it as JSON"],
  async run(args, session) {
    const json = wantsJson(args);
    const me = await (await session.client()).me();
    if (json) return session.terminal.print(JSON.stringify(me));
    const { balance_credits: balance, generation_limits: limits } = me;
    const credits = typeof balance === "number" ? count(balance, "credit") : "? credits";
    session.terminal.print(`${me.email}  ${me.plan}  ${credits}`);
    if (limits)
      session.terminal.print(`${limits.concurrent_active} of ${limits.concurrent_max} running`);
  },
};

export const listModels: Command = {
  name: "models",
  usage: "[--json]",
  summary: "List the models.",
  options: ["--json  print the catalogue as JSON"],
  async run(args, session) {
    const json = wantsJson(args);
    const page = await (await session.client()).models.list();
    if (json) return session.terminal.print(JSON.stringify(page));
    const width = Math.max(0, ...page.items.map((model) => model.id.length));
    for (const { id, modality, status, display_name: name } of page.items)
      session.terminal.print(`${id.padEnd(width)}  ${modality.padEnd(7)}  ${status}  ${name}`);
  },
};

/** Reads `--json`, for commands that take nothing else. */
function wantsJson(args: readonly string[]): boolean {
  const options = { json: { type: "boolean", default: false } } as const;
  return parseArgs({ args: [...args], options }).values.json;
}
