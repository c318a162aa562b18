import { check, type Static, Type } from "../../config/schema.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { TaskOutcome, TaskOutput } from "../../engine/ports/tasks.ts";
import type { SceneBrowser, ScenePage } from "../browser.ts";
import { refusedInput, type TaskContext, type TaskWorker } from "../task-loop.ts";

/**
 * The model `studio-image`, also its task kind: procedural pictures, no learned weights. The
 * prompt's words and the seed choose a scene, which `studio-image/draw.ts` paints in a page.
 *
 * 1. Equal prompt, seed, size and format give equal bytes, so a repeated attempt stores the same.
 * 2. Image `i` of a task uses `seed + i` modulo 2^32.
 */
const edge = Type.Integer({ minimum: 64, maximum: 2048 });
const ImageInput = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: 10_000 }),
    seed: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
    width: edge,
    height: edge,
    count: Type.Integer({ minimum: 1, maximum: 16 }),
    format: Type.Union([Type.Literal("png"), Type.Literal("jpeg"), Type.Literal("webp")]),
  },
  { additionalProperties: false },
);
type ImageInput = Static<typeof ImageInput>;
const isImageInput = check<ImageInput>(ImageInput);

/** What the page answers: files in base64. */
const Painted = Type.Object({ image: Type.String(), thumbnail: Type.String() });
const isPainted = check<Static<typeof Painted>>(Painted);

const extensions = { png: "png", jpeg: "jpg", webp: "webp" } as const;

export function studioImage(
  browser: SceneBrowser,
  objects: Objects,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input, signal } = context;
      if (!isImageInput(input)) return refusedInput("image", isImageInput.faults(input));
      const outputs = await browser.withPage(signal, (page) =>
        paintAll(page, objects, input, context),
      );
      return { kind: "succeeded", outputs };
    },
  };
}

async function paintAll(
  page: ScenePage,
  objects: Objects,
  input: ImageInput,
  context: TaskContext,
): Promise<readonly TaskOutput[]> {
  const outputs: TaskOutput[] = [];
  for (let i = 0; i < input.count; i++) {
    const seed = (input.seed + i) >>> 0;
    outputs.push(await paint(page, objects, { ...input, seed }, `${context.outputPrefix}/${i}`));
    context.reportProgress((i + 1) / input.count);
  }
  return outputs;
}

async function paint(
  page: ScenePage,
  objects: Objects,
  { prompt, seed, width, height, format }: ImageInput,
  stem: string,
): Promise<TaskOutput> {
  const picture = { prompt, seed, width, height, format };
  const files = await page.call("studio-image/draw.js", "draw", picture);
  invariant(isPainted(files), "the page answers a picture and its thumbnail");
  const objectKey = `${stem}.${extensions[format]}`;
  const thumbnailKey = `${stem}.thumb.jpg`;
  const stored = await objects.put(objectKey, [Buffer.from(files.image, "base64")]);
  await objects.put(thumbnailKey, [Buffer.from(files.thumbnail, "base64")]);
  return { objectKey, mimeType: `image/${format}`, ...stored, width, height, thumbnailKey };
}
