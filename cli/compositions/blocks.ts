/** `klieg blocks`: turns clips and narrations that a JSON file lists into one film. */
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { text as readText } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type { BlocksRequest } from "../../contract/render.ts";
import { type Command, CommandError, onlyArgument, optionLine, type Session } from "../command.ts";
import { checkOutput, standardOutput } from "../output-file.ts";
import { assetId } from "../upload.ts";
import { deliverRender } from "./render-delivery.ts";

export const blocks: Command = {
  name: "blocks",
  usage: "<file.json> [options]",
  summary: "Join clips and narrations, one after the other, into a film.",
  options: [
    optionLine("-o, --output FILE", "where to save it (<file>.mp4)"),
    optionLine("--json", "print the finished render and the file as JSON"),
    'The JSON is a request such as {"blocks":[{"clip_asset_id":"sea.mp4"}]}; - reads it from standard input.',
    "A clip or narration is the id of an asset, or a file, which is uploaded.",
  ],
  run,
};

async function run(args: readonly string[], session: Session): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      output: { type: "string", short: "o" },
      json: { type: "boolean", default: false },
    },
  });
  const path = onlyArgument(positionals, "the JSON file");
  const isPiped = path === standardOutput;
  const output = values.output ?? `${isPiped ? "blocks" : basename(path, extname(path))}.mp4`;
  await checkOutput(output);
  const asked = parse(await readContent(path), isPiped ? "the input" : path);
  const request = await withAssets(asked, isPiped ? "." : dirname(path), session);
  const client = await session.client();
  const accepted = await client.renders.blocks(request);
  await deliverRender(accepted, { output, isJson: values.json }, session);
}

async function readContent(path: string): Promise<string> {
  if (path === standardOutput) return readText(process.stdin);
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw Object.assign(new CommandError(`${path} cannot be read.`), { cause });
  }
}

/** Parses the file; the service checks the rest. Throws `CommandError`. */
function parse(content: string, name: string): BlocksRequest {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (cause) {
    throw Object.assign(new CommandError(`${name} is not valid JSON.`), { cause });
  }
  const found = value as Partial<BlocksRequest> | null;
  if (Array.isArray(found?.blocks) && found.blocks.every((block) => block instanceof Object))
    return found as BlocksRequest;
  throw new CommandError(`${name} has no list "blocks" of objects.`);
}

/** Uploads the files that a request names, each only once, and puts in the ids of their assets. */
async function withAssets(
  request: BlocksRequest,
  folder: string,
  session: Session,
): Promise<BlocksRequest> {
  const ids = new Map<string, Promise<string>>();
  const getId = async (given: unknown): Promise<string> => {
    const path = String(given);
    const known = ids.get(path) ?? assetId(path, session, resolve(folder, path));
    ids.set(path, known);
    return known;
  };
  const blocks: BlocksRequest["blocks"] = [];
  for (const block of request.blocks) {
    const { clip_asset_id: clip, narration_asset_id: narration } = block;
    blocks.push({
      ...block,
      ...(clip !== undefined && { clip_asset_id: await getId(clip) }),
      ...(narration !== undefined && { narration_asset_id: await getId(narration) }),
    });
  }
  return { ...request, blocks };
}
