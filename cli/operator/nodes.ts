/** `klieg nodes` and `klieg drain`: list the nodes that serve and render, and drain one. */
import { parseArgs } from "node:util";
import type { AdminNode } from "../../clients/typescript/src/generated/models.ts";
import { check } from "../../config/schema.ts";
import type { ClientSettings } from "../../config/settings.ts";
import { Readiness } from "../../contract/health.ts";
import { type Command, onlyArgument } from "../command.ts";
import { findOrigin } from "../credential.ts";
import { table } from "./table.ts";

const isReadiness = check<Readiness>(Readiness);
const readyMs = 5_000;

export const listNodes: Command = {
  name: "nodes",
  usage: "[--json]",
  summary: "List the nodes of the service and of its farm (scope admin).",
  options: ["--json  print them as JSON"],
  async run(args, { client, settings, terminal }) {
    const options = { json: { type: "boolean", default: false } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const list = await (await client()).admin.nodes().catch(async (error: unknown) => {
      // Without an owner of the directory no token can be checked, so only warnings are shown.
      for (const warning of await readWarnings(settings())) terminal.print(warning);
      throw error;
    });
    if (values.json) return terminal.print(JSON.stringify(list));
    const rows = list.items.map((node) => {
      const { id, name, kind, address, version, status, tasks } = node;
      const shards = [listShards(node, "owner"), listShards(node, "standby")];
      return [name, id, kind, address, version ?? "", status, ...shards, `${tasks}`];
    });
    const head = ["NAME", "ID", "KIND", "ADDRESS", "VERSION", "STATUS", "OWNS", "FOLLOWS", "TASKS"];
    for (const line of table(head, rows)) terminal.print(line);
    for (const { name, warnings } of list.items)
      for (const warning of warnings) terminal.print(`${name}: ${warning}`);
  },
};

function listShards({ shards }: AdminNode, as: "owner" | "standby"): string {
  const numbers = shards.filter(({ role }) => role === as).map(({ shard }) => shard);
  return numbers.length === 0 ? "-" : numbers.join(",");
}

/** Reads the service's warnings, for which it needs no credential; empty when they are missing. */
async function readWarnings(settings: ClientSettings): Promise<readonly string[]> {
  try {
    const url = new URL("/readyz", await findOrigin(settings));
    const answer = await fetch(url, { signal: AbortSignal.timeout(readyMs) });
    const body: unknown = await answer.json();
    return isReadiness(body) ? body.warnings : [];
  } catch {
    return [];
  }
}

export const drainNode: Command = {
  name: "drain",
  usage: "<node>",
  summary: "Make a node hand over its shards, or stop accepting tasks (scope admin).",
  options: [],
  async run(args, { client, terminal }) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
    const id = onlyArgument(positionals, "the node");
    const { kind } = await (await client()).admin.drainNode(id);
    terminal.print(
      kind === "farm"
        ? `${id} accepts no more tasks; stop it once it has none.`
        : `${id} is handing over its shards; stop it once it owns none.`,
    );
  },
};
