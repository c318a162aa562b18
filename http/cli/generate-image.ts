import { extname } from "node:path";
import { parseArgs } from "node:util";
import type { ImageRequest } from "../client.ts";
import { type Command, onlyArgument, type Session, UsageError, wholeNumber } from "./command.ts";
import { deliver } from "./delivery.ts";
import { checkOutput } from "./output-file.ts";

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
  await deliver(session, "/generate/image", request, values);
}

/** The API's formats by file name; PNG, its default, is left to it. Throws `UsageError`. */
function formatOf(path: string | undefined): ImageRequest["output_format"] {
  const extension = path === undefined ? ".png" : extname(path).toLowerCase();
  if (extension === ".png" || extension === "") return undefined;
  if (extension === ".jpg" || extension === ".jpeg") return "jpeg";
  if (extension === ".webp") return "webp";
  throw new UsageError(`A picture is saved as .png, .jpg or .webp, not as ${extension}.`);
}
