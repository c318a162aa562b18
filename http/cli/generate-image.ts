/**
 * `klieg generate image`: submit, follow, save, say what it cost.
 *
 * 1. What can be wrong on this side (arguments, the place to save) is found before the submit.
 * 2. One run of the command is one job, however often the connection breaks.
 * 3. A failed or canceled job saves nothing and ends with the service's own sentence.
 */
import { extname } from "node:path";
import { parseArgs } from "node:util";
import type { Asset } from "../../actors/contract/asset.ts";
import type { Job } from "../../actors/contract/job.ts";
import type { Client, ImageRequest } from "../client.ts";
import { ApiProblem, Unreachable } from "../client-call.ts";
import { follow } from "../client-follow.ts";
import {
  type Command,
  CommandError,
  onlyArgument,
  type Session,
  UsageError,
  wholeNumber,
} from "./command.ts";
import { checkOutput, outputPath, writeWhole } from "./output-file.ts";
import { progressLine } from "./progress-line.ts";

export const generateImage: Command = {
  name: "generate image",
  usage: '"<prompt>" [options]',
  summary: "Make a picture and save it.",
  options: [
    "-o, --output FILE     where to save it (<job id>.png)",
    "--model MODEL         catalogue id or alias (default)",
    "--aspect-ratio RATIO  for example 1:1, 16:9, 9:16",
    "--resolution SIZE     for example 1k, 2k",
    "--num-images N        several become FILE-1, FILE-2 ...",
    "--seed S              the same seed and prompt give the same picture",
    "--json                print the finished job and the files as JSON",
  ],
  run,
};

async function run(args: readonly string[], session: Session): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      output: { type: "string", short: "o" },
      model: { type: "string", default: "default" },
      "aspect-ratio": { type: "string" },
      resolution: { type: "string" },
      "num-images": { type: "string" },
      seed: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const request: ImageRequest = {
    model: values.model,
    prompt: onlyArgument(positionals, "the prompt"),
    aspect_ratio: values["aspect-ratio"],
    resolution: values.resolution,
    num_images: wholeNumber(values["num-images"], "--num-images"),
    seed: wholeNumber(values.seed, "--seed"),
    output_format: formatOf(values.output),
  };
  await checkOutput(values.output ?? "picture.png");
  const client = await session.client();
  const job = await make(client, request, session);
  const saved = await save(client, job, values.output);
  if (values.json) {
    const files = saved.map(({ path, asset, sizeBytes }) => ({
      path,
      asset_id: asset.id,
      size_bytes: sizeBytes,
    }));
    session.terminal.print(JSON.stringify({ job, files }));
    return;
  }
  for (const file of saved) session.terminal.print(described(file));
  const charged = job.credits_charged;
  session.terminal.print(
    typeof charged === "number" ? `${charged} credits charged` : "credits are being settled",
  );
}

/** The API's formats by file name; PNG, its default, is left to it. Throws `UsageError`. */
function formatOf(path: string | undefined): ImageRequest["output_format"] {
  const extension = path === undefined ? ".png" : extname(path).toLowerCase();
  if (extension === ".png" || extension === "") return undefined;
  if (extension === ".jpg" || extension === ".jpeg") return "jpeg";
  if (extension === ".webp") return "webp";
  throw new UsageError(`A picture is saved as .png, .jpg or .webp, not as ${extension}.`);
}

async function make(client: Client, request: ImageRequest, session: Session): Promise<Job> {
  const line = progressLine(session.terminal);
  const accepted = await client.submitImage(request);
  try {
    line.show(accepted);
    const job = await follow(client, accepted.id, line.show);
    if (job.status === "succeeded") return job;
    throw new CommandError(job.failure?.message ?? job.cancellation?.message ?? `${job.status}.`);
  } catch (fault) {
    if (!(fault instanceof Unreachable)) throw fault;
    throw new CommandError(
      `The service stopped answering; the job goes on, so ask later: klieg job ${accepted.id}`,
    );
  } finally {
    line.clear();
  }
}

interface SavedFile {
  readonly path: string;
  readonly asset: Asset;
  readonly sizeBytes: number;
}

async function save(client: Client, job: Job, output: string | undefined): Promise<SavedFile[]> {
  const assets = job.assets ?? (job.asset === undefined ? [] : [job.asset]);
  const saved: SavedFile[] = [];
  for (const [index, asset] of assets.entries()) {
    const path = outputPath(output ?? `${job.id}${extensionOf(asset)}`, index, assets.length);
    const { body } = await download(client, asset);
    if (body === null) throw new CommandError(`The download of asset ${asset.id} was empty.`);
    saved.push({ path, asset, sizeBytes: await writeWhole(path, body) });
  }
  return saved;
}

/** A signed address that no longer opens is asked for afresh, once. */
async function download(client: Client, asset: Asset): Promise<Response> {
  try {
    return await client.download(asset.signed_url);
  } catch (fault) {
    if (!(fault instanceof ApiProblem)) throw fault;
    return client.download((await client.asset(asset.id)).signed_url);
  }
}

function extensionOf(asset: Asset): string {
  return `.${asset.mime_type?.split("/")[1] ?? "png"}`;
}

function described({ path, asset, sizeBytes }: SavedFile): string {
  const edges = asset.width && asset.height ? `${asset.width} x ${asset.height}, ` : "";
  return `${path}  ${edges}${Math.ceil(sizeBytes / 1024)} KiB`;
}
