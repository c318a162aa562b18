/** `klieg agent ...`: runs of an agent, each with a price that its customer approves. */
import { parseArgs } from "node:util";
import { count } from "../actors/count.ts";
import type { AgentSession } from "../clients/typescript/src/generated/models.ts";
import {
  type Command,
  CommandError,
  onlyArgument,
  optionLine,
  type Session,
  UsageError,
  wholeNumber,
} from "./command.ts";

export const startAgent: Command = {
  name: "agent start",
  usage: '"<brief>" [options]',
  summary: "Start an agent's turn and print its credential.",
  options: [
    optionLine("--ceiling N", "credits that the turn may spend at most"),
    optionLine("--ttl-seconds N", "seconds for which the credential is valid (3600)"),
    optionLine("--session ID", "the session to add the turn to (a new one)"),
    optionLine("--json", "print the turn as JSON"),
  ],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ceiling: { type: "string" },
        "ttl-seconds": { type: "string" },
        session: { type: "string" },
        json: { type: "boolean", default: false },
      },
    });
    const turn = {
      brief: onlyArgument(positionals, "the brief"),
      credit_ceiling: wholeNumber(values.ceiling, "--ceiling"),
      ttl_seconds: wholeNumber(values["ttl-seconds"], "--ttl-seconds"),
    };
    const client = await session.client();
    const id = values.session ?? (await client.agents.createSession()).id;
    const started = await client.agents.startTurn(id, turn);
    session.terminal.say(`session ${id}, turn ${started.id}, until ${started.expires_at}\n`);
    session.terminal.print(values.json ? JSON.stringify(started) : `${started.credential}`);
  },
};

export const approveAgent: Command = {
  name: "agent approve",
  usage: "<session id> <credits>",
  summary: "Raise the price limit of a session's running turn.",
  options: [],
  async run(args, session) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
    const [id, credits, ...more] = positionals;
    if (id === undefined || credits === undefined || more.length > 0)
      throw new UsageError("Name the session and the number of credits.");
    const ceiling = wholeNumber(credits, "The price");
    const { agents } = await session.client();
    const { current_turn: turn } = await agents.getSession(id);
    if (turn === null || turn === undefined)
      throw new CommandError(`The session ${id} has no running turn.`);
    const raised = await agents.setCeiling(id, turn.id, { credit_ceiling: ceiling });
    const spent = count(raised.credits_committed, "credit");
    session.terminal.print(`${turn.id}  ${spent} of ${raised.credit_ceiling}`);
  },
};

/** The protocol's library is large, so only this command loads it. */
export const mcp: Command = {
  name: "mcp",
  usage: "--ceiling N [options]",
  summary: "Offer the service to an agent as tools (Model Context Protocol).",
  options: [
    optionLine("--ceiling N", "credits that the agent may spend at most"),
    optionLine("--folder DIR", "where it reads and writes files (this folder)"),
    optionLine("--brief TEXT", "the agent's task, shown in the list of runs"),
    optionLine("--ttl-seconds N", "how long it may work, 60 to 86400 (86400)"),
    optionLine("--http PORT", "at http://127.0.0.1:PORT/mcp in place of standard input and output"),
    "With an agent's credential in KLIEG_TOKEN, it uses that credential and needs no --ceiling.",
  ],
  run: async (args, session) => (await import("./mcp/mcp.ts")).runMcp(args, session),
};

export const stopAgent: Command = {
  name: "agent stop",
  usage: "<session id>",
  summary: "Stop the turn of a session; its jobs continue.",
  options: [],
  async run(args, session) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
    const id = onlyArgument(positionals, "the session");
    const turn = await (await session.client()).agents.interrupt(id);
    session.terminal.print(
      `${turn.id}  ${turn.status}  ${count(turn.credits_committed, "credit")}`,
    );
  },
};

export const listAgents: Command = {
  name: "agents",
  usage: "[--json]",
  summary: "List the sessions of agents, newest first.",
  options: [optionLine("--json", "print the page as JSON")],
  run: list,
};

async function list(args: readonly string[], { client, terminal }: Session): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean", default: false } },
  });
  const page = await (await client()).agents.listSessions();
  if (values.json) terminal.print(JSON.stringify(page));
  else for (const session of page.items) terminal.print(describeSession(session));
}

function describeSession({ id, status, credits_spent: spent, title }: AgentSession): string {
  return [id, status.padEnd(7), count(spent, "credit"), title ?? ""].join("  ").trimEnd();
}
