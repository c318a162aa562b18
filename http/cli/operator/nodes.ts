/** `klieg nodes` and `klieg drain`: who serves and who renders, and letting a node go. */
import { parseArgs } from "node:util";
import type { AdminNode } from "../../../clients/typescript/src/generated/models.ts";
import { type Command, onlyArgument } from "../command.ts";
import { table } from "./table.ts";

export const listNodes: Command = {
  name: "nodes",
  usage: "[--json]",
  summary: "List the nodes of the service and of its farm (scope admin).",
  options: ["--json  print them as JSON"],
  async run(args, { client, terminal }) {
    const options = { json: { type: "boolean", default: false } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const list = await (await client()).admin.nodes();
    if (values.json) return terminal.print(JSON.stringify(list));
    const rows = list.items.map((node) => {
      const { id, kind, address, version, status, tasks } = node;
      const shards = [shardsOf(node, "owner"), shardsOf(node, "standby")];
      return [id, kind, address, version ?? "", status, ...shards, `${tasks}`];
    });
    const head = ["NODE", "KIND", "ADDRESS", "VERSION", "STATUS", "OWNS", "FOLLOWS", "TASKS"];
    for (const line of table(head, rows)) terminal.print(line);
  },
};

function shardsOf({ shards }: AdminNode, as: "owner" | "standby"): string {
  const numbers = shards.filter(({ role }) => role === as).map(({ shard }) => shard);
  return numbers.length === 0 ? "-" : numbers.join(",");
}

export const drainNode: Command = {
  name: "drain",
  usage: "<node>",
  summary: "Let a node hand over its shards, or take no more tasks (scope admin).",
  options: [],
  async run(args, { client, terminal }) {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
    const id = onlyArgument(positionals, "the node");
    const { kind } = await (await client()).admin.drainNode(id);
    terminal.print(
      kind === "farm"
        ? `${id} takes no more tasks; stop it once it has none.`
        : `${id} hands its shards over; stop it once it owns none.`,
    );
  },
};
