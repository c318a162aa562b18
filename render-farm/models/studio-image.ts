import { join } from "node:path";
import { check, type Static, Type } from "../../config/schema.ts";
import { invariant } from "../../engine/invariant.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome, TaskOutput } from "../../engine/ports/tasks.ts";
import type { SceneBrowser, ScenePage } from "../browser/browser.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import { fetchSource, Source, type Workspace, type Workspaces } from "../node/workspace.ts";
import type { Raster } from "../pictures/orders.ts";
import type { ExampleColors } from "./example-colors.ts";
import { exampleColors } from "./example-colors.ts";
import { undrawnWarnings } from "./studio-image/undrawn.ts";

/**
 * The model `studio-image`, also its task kind: procedural pictures, no learned weights. The
 * prompt's words and the seed choose a scene, which `studio-image/draw.ts` paints in a page.
 *
 * 1. Equal prompt, seed, size and format give equal bytes, so a repeated attempt stores the same.
 * 2. Words of the negative prompt take what they name out of the scene, as far as it is known.
 * 3. Image `i` of a task uses `seed + i` modulo 2^32.
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
    negativePrompt: Type.Optional(Type.String({ maxLength: 2_000 })),
    /** Pictures from which the new picture takes its colours. */
    references: Type.Optional(Type.Array(Source, { maxItems: 4 })),
  },
  { additionalProperties: false },
);
type ImageInput = Static<typeof ImageInput>;
const isImageInput = check<ImageInput>(ImageInput);

/** The page's answer: picture and thumbnail as files in base64. */
const Painted = Type.Object({ image: Type.String(), thumbnail: Type.String() });
const isPainted = check<Static<typeof Painted>>(Painted);

const exampleEdge = 96;
const extensions = { png: "png", jpeg: "jpg", webp: "webp" } as const;

export interface ImageTools {
  readonly browser: SceneBrowser;
  readonly workspaces: Workspaces;
}

export function studioImage(
  { browser, workspaces }: ImageTools,
  objects: Objects,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input, signal } = context;
      if (!isImageInput(input)) return refuseInput("image", isImageInput.faults(input));
      const { references = [] } = input;
      const example =
        references.length === 0
          ? undefined
          : await workspaces.use((workspace) =>
              readExample(workspace, objects, references, signal),
            );
      const outputs = await browser.withPage(signal, (page) =>
        paintAll(page, objects, input, example, context),
      );
      return { kind: "succeeded", outputs, warnings: undrawnWarnings(input.prompt) };
    },
  };
}

async function readExample(
  { folder, pictures }: Workspace,
  objects: Objects,
  references: readonly Source[],
  signal: AbortSignal,
): Promise<ExampleColors> {
  const examples: Raster[] = [];
  for (const [i, source] of references.entries()) {
    const file = await fetchSource(objects, source, join(folder, `${i}`), signal);
    if (!file.mimeType.startsWith("image/"))
      throw new PortError("A reference is not a picture.", false);
    examples.push(await pictures.raster(file.path, exampleEdge));
  }
  return exampleColors(examples);
}

async function paintAll(
  page: ScenePage,
  objects: Objects,
  input: ImageInput,
  example: ExampleColors | undefined,
  context: TaskContext,
): Promise<readonly TaskOutput[]> {
  const outputs: TaskOutput[] = [];
  for (let i = 0; i < input.count; i++) {
    const seed = (input.seed + i) >>> 0;
    const stem = `${context.outputPrefix}/${i}`;
    outputs.push(await paint(page, objects, { ...input, seed }, example, stem));
    context.reportProgress((i + 1) / input.count);
  }
  return outputs;
}

async function paint(
  page: ScenePage,
  objects: Objects,
  { prompt, seed, width, height, format, negativePrompt: negative }: ImageInput,
  example: ExampleColors | undefined,
  stem: string,
): Promise<TaskOutput> {
  const picture = { prompt, seed, width, height, format, negative, example };
  const files = await page.call("studio-image/draw.js", "draw", picture);
  invariant(isPainted(files), "the page answers a picture and its thumbnail");
  const objectKey = `${stem}.${extensions[format]}`;
  const thumbnailKey = `${stem}.thumb.jpg`;
  const stored = await objects.put(objectKey, [Buffer.from(files.image, "base64")]);
  await objects.put(thumbnailKey, [Buffer.from(files.thumbnail, "base64")]);
  return { objectKey, mimeType: `image/${format}`, ...stored, width, height, thumbnailKey };
}
