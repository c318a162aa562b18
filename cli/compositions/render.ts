/** `klieg render`: renders a folder as a film or a still. */
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { RenderRequest } from "../../clients/typescript/src/generated/models.ts";
import { type Quality, qualities } from "../../contract/render.ts";
import { type Command, onlyArgument, type Session, UsageError } from "../command.ts";
import { checkOutput } from "../output-file.ts";
import { readBundle, sendBundle } from "./bundle-folder.ts";
import { deliverRender } from "./render-delivery.ts";

export const render: Command = {
  name: "render",
  usage: "<folder> [options]",
  summary: "Render a composition's folder to a film or a still.",
  options: [
    "-o, --output FILE   where to save it (<folder>.mp4, or .png for a still)",
    "--quality NAME      fast, standard or high (standard)",
    "--still SECONDS     one frame as a PNG instead of the film",
    "--composition ID    replace the files of this composition (a new one)",
    "--json              print the finished render and the file as JSON",
  ],
  run,
};

async function run(args: readonly string[], session: Session): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      output: { type: "string", short: "o" },
      quality: { type: "string" },
      still: { type: "string" },
      composition: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const folder = onlyArgument(positionals, "the folder");
  const request = buildRequest(values.quality, values.still);
  const name = basename(resolve(folder));
  const output = values.output ?? `${name}${request.target === "still" ? ".png" : ".mp4"}`;
  await checkOutput(output);
  const files = await readBundle(folder);
  const client = await session.client();
  const id = values.composition ?? (await client.compositions.create({ name })).id;
  await sendBundle(client, id, files);
  const accepted = await client.compositions.render(id, request);
  await deliverRender(accepted, { output, isJson: values.json }, session);
}

/** Throws `UsageError`. */
function buildRequest(quality: string | undefined, still: string | undefined): RenderRequest {
  if (still === undefined) return quality === undefined ? {} : { quality: parseQuality(quality) };
  if (quality !== undefined) throw new UsageError("--quality applies only to films.");
  const seconds = Number(still);
  if (still.trim() === "" || !(seconds >= 0))
    throw new UsageError(`--still is "${still}"; set it to a time in seconds.`);
  return { target: "still", still: { at_seconds: seconds } };
}

function parseQuality(text: string): Quality {
  const quality = qualities.find((known) => known === text);
  if (quality !== undefined) return quality;
  throw new UsageError(`--quality is "${text}"; set it to one of ${qualities.join(", ")}.`);
}
