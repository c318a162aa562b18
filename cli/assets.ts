/** `klieg assets`, `asset`, `asset delete` and `asset restore`: generated and uploaded assets. */
import { parseArgs } from "node:util";
import { count } from "../actors/count.ts";
import type { Asset } from "../clients/typescript/src/generated/models.ts";
import { type Command, onlyArgument, optionLine, type Session, wholeNumber } from "./command.ts";
import { moreLine } from "./jobs.ts";
import { checkOutput, saveAsset } from "./output-file.ts";

export const listAssets: Command = {
  name: "assets",
  usage: "[options]",
  summary: "List assets, newest first.",
  options: [
    optionLine("--limit N", "how many, 1 to 100 (20)"),
    optionLine("--modality VALUE", "image, video, audio, three_d; separate several with commas"),
    optionLine("--status VALUE", "for example ready, trashed; comma-separated"),
    optionLine("--q TEXT", "text that the name or the prompt contains"),
    optionLine("--cursor CURSOR", "continue where an earlier list ended"),
    optionLine("--json", "print the page as JSON"),
  ],
  async run(args, { client, terminal }) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        limit: { type: "string", default: "20" },
        modality: { type: "string" },
        status: { type: "string" },
        q: { type: "string" },
        cursor: { type: "string" },
        json: { type: "boolean", default: false },
      },
    });
    const { json, ...texts } = values;
    const filters = { ...texts, limit: wholeNumber(values.limit, "--limit") };
    const page = await (await client()).assets.list(filters);
    if (json) {
      terminal.print(JSON.stringify(page));
      return;
    }
    for (const asset of page.items) terminal.print(describeAsset(asset));
    terminal.say(`${page.items.length} of ${count(page.total, "asset")}\n`);
    if (page.next_cursor) terminal.say(moreLine("assets", filters, page.next_cursor));
  },
};

export const showAsset: Command = {
  name: "asset",
  usage: "<asset id> [-o FILE] [--json]",
  summary: "Show an asset, or save it to a file.",
  options: [
    optionLine("-o, --output FILE", "save it; - prints it"),
    optionLine("--json", "print it as JSON"),
  ],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        output: { type: "string", short: "o" },
        json: { type: "boolean", default: false },
      },
    });
    const id = onlyArgument(positionals, "the asset");
    if (values.output !== undefined) await checkOutput(values.output);
    const client = await session.client();
    const asset = await client.assets.get(id);
    if (values.output !== undefined) await saveAsset(client, asset, values.output);
    else session.terminal.print(values.json ? JSON.stringify(asset) : describeAsset(asset));
  },
};

export const deleteAsset: Command = {
  name: "asset delete",
  usage: "<asset id> [--permanent]",
  summary: "Move an asset to the trash.",
  options: [optionLine("--permanent", "delete it for good")],
  async run(args, session) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { permanent: { type: "boolean", default: false } },
    });
    const id = onlyArgument(positionals, "the asset");
    await (await session.client()).assets.delete(id, { permanent: values.permanent });
    session.terminal.say(`The asset ${id} is ${values.permanent ? "deleted" : "in the trash"}.\n`);
  },
};

export const restoreAsset: Command = {
  name: "asset restore",
  usage: "<asset id>",
  summary: "Restore an asset from the trash.",
  options: [],
  run: restore,
};

async function restore(args: readonly string[], session: Session): Promise<void> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const id = onlyArgument(positionals, "the asset");
  session.terminal.print(describeAsset(await (await session.client()).assets.restore(id)));
}

function describeAsset(asset: Asset): string {
  const { id, status, mime_type: type, size_bytes: size, display_name: name } = asset;
  return [id, status.padEnd(10), type, `${Math.ceil(size / 1024)} KiB`, name].join("  ");
}
