/** `klieg composition list`, `clone` and `push`: compositions, and storing a folder as one. */
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { count } from "../../actors/count.ts";
import type { Composition } from "../../clients/typescript/src/generated/models.ts";
import { type Command, onlyArgument, optionLine, type Session, wholeNumber } from "../command.ts";
import { moreLine } from "../jobs.ts";
import { readBundle, sendBundle } from "./bundle-folder.ts";

export const listCompositions: Command = {
  name: "composition list",
  usage: "[options]",
  summary: "List compositions, newest first.",
  options: [
    optionLine("--limit N", "how many, 1 to 200 (20)"),
    optionLine("--series TEXT", "those of a series"),
    optionLine("--q TEXT", "what stands in the name"),
    optionLine("--cursor CURSOR", "continue where an earlier list ended"),
    optionLine("--json", "print the page as JSON"),
  ],
  async run(args, { client, terminal }) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        limit: { type: "string", default: "20" },
        series: { type: "string" },
        q: { type: "string" },
        cursor: { type: "string" },
        json: { type: "boolean", default: false },
      },
    });
    const { json, ...texts } = values;
    const filters = { ...texts, limit: wholeNumber(values.limit, "--limit") };
    const page = await (await client()).compositions.list(filters);
    if (json) {
      terminal.print(JSON.stringify(page));
      return;
    }
    for (const composition of page.items) terminal.print(describe(composition));
    terminal.say(`${page.items.length} of ${count(page.total, "composition")}\n`);
    if (page.next_cursor) terminal.say(moreLine("composition list", filters, page.next_cursor));
  },
};

export const cloneComposition: Command = {
  name: "composition clone",
  usage: "<composition id> [options]",
  summary: "Copy a composition, without its edits.",
  options: [
    optionLine("--name TEXT", "what the copy is called (<name> copy)"),
    optionLine("--json", "print it as JSON"),
  ],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { name: { type: "string" }, json: { type: "boolean", default: false } },
    });
    const id = onlyArgument(positionals, "the composition");
    const client = await session.client();
    print(await client.compositions.clone(id, { name: values.name }), values.json, session);
  },
};

export const pushComposition: Command = {
  name: "composition push",
  usage: "<folder> [options]",
  summary: "Store a folder as a composition.",
  options: [
    optionLine("--composition ID", "replace the files of this composition (a new one)"),
    optionLine("--name TEXT", "name of the new composition (the folder's name)"),
    optionLine("--json", "print it as JSON"),
  ],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        composition: { type: "string" },
        name: { type: "string" },
        json: { type: "boolean", default: false },
      },
    });
    const folder = onlyArgument(positionals, "the folder");
    const files = await readBundle(folder);
    const client = await session.client();
    const name = values.name ?? basename(resolve(folder));
    const id = values.composition ?? (await client.compositions.create({ name })).id;
    print(await sendBundle(client, id, files), values.json, session);
  },
};

function print(composition: Composition, isJson: boolean, { terminal }: Session): void {
  terminal.print(isJson ? JSON.stringify(composition) : describe(composition));
}

function describe(composition: Composition): string {
  const { id, name, revision, width, height, duration_seconds: seconds } = composition;
  const size = typeof width === "number" ? `${width} x ${height}` : "no size";
  const length = typeof seconds === "number" ? `${seconds} s` : "no length";
  return [id, `revision ${revision}`, size, length, name].join("  ");
}
