import { join } from "node:path";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { type Part, writeModel } from "../media/meshes.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import { fetchSource, Source, type Workspace, type Workspaces } from "../node/workspace.ts";
import type { Raster } from "../pictures/orders.ts";
import type { Pictures } from "../pictures/pictures.ts";
import { computeHeights, type Heights } from "./studio-relief/heights.ts";
import { buildSolid } from "./studio-relief/solid.ts";

/**
 * The model `studio-relief` (3D): a photo becomes a closed, textured relief; a second photo, if
 * given, becomes its back. Rules derive the depth from outline and light; there are no learned
 * weights.
 */
const ReliefInput = Type.Object(
  {
    images: Type.Array(Source, { minItems: 1, maxItems: 2 }),
    prompt: Type.Optional(Type.String({ maxLength: 10_000 })),
    texture: Type.Boolean(),
    targetPolycount: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 300_000 })),
    format: Type.Enum(["glb", "gltf"]),
    seed: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
  },
  { additionalProperties: false },
);
type ReliefInput = Static<typeof ReliefInput>;
const isReliefInput = check<ReliefInput>(ReliefInput);

const polycountDefault = 40_000;
const textureEdge = 1_536;

export function studioRelief(
  workspaces: Workspaces,
  objects: Objects,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isReliefInput(input)) return refuseInput("relief", isReliefInput.faults(input));
      return workspaces.use((workspace) => build(workspace, objects, input, context));
    },
  };
}

interface Photo {
  readonly heights: Heights;
  readonly full: Raster;
}

async function build(
  { folder, pictures }: Workspace,
  objects: Objects,
  input: ReliefInput,
  { signal, outputPrefix, reportProgress }: TaskContext,
): Promise<TaskOutcome> {
  const photos: Photo[] = [];
  for (const [i, source] of input.images.entries()) {
    const file = await fetchSource(objects, source, join(folder, `${i}`), signal);
    if (!file.mimeType.startsWith("image/"))
      throw new PortError("A source of the model is not a picture.", false);
    photos.push(await readPhoto(pictures, file.path, input.targetPolycount ?? polycountDefault));
    reportProgress(0.3 + i * 0.2);
  }
  const [front, back] = photos;
  if (front === undefined) throw new PortError("The model needs a picture.", false);
  const solid = buildSolid(front.heights, measureDepth(input), back?.heights);
  const parts: Part[] = [
    { surface: solid.front, skin: await paintSkin(pictures, front.full, input.texture) },
    { surface: solid.shell, skin: { color: meanColor(front.full) } },
  ];
  if (solid.back !== undefined && back !== undefined)
    parts.push({ surface: solid.back, skin: await paintSkin(pictures, back.full, input.texture) });
  const file = await writeModel("relief", parts, input.format);
  reportProgress(0.9);
  const objectKey = `${outputPrefix}/0.${file.extension}`;
  const thumbnailKey = `${outputPrefix}/0.thumb.png`;
  const stored = await objects.put(objectKey, [file.bytes]);
  await objects.put(thumbnailKey, [await pictures.encode(drawPreview(front), "png")]);
  const { mimeType } = file;
  return { kind: "succeeded", outputs: [{ objectKey, mimeType, ...stored, thumbnailKey }] };
}

/** Samples the photo so that front, back and walls together have about `polycount` triangles. */
async function readPhoto(pictures: Pictures, path: string, polycount: number): Promise<Photo> {
  const { width, height } = await pictures.inspect(path);
  const full = await pictures.raster(path, textureEdge);
  const aspect = Math.max(width, height) / Math.min(width, height);
  const edgeFor = (cells: number): number => Math.max(8, Math.round(Math.sqrt(cells * aspect)));
  const first = computeHeights(await pictures.raster(path, edgeFor(polycount / 4.2)));
  const covered = first.mask.reduce((sum, one) => sum + one, 0) / first.mask.length;
  if (covered > 0.9) return { heights: first, full };
  const heights = computeHeights(await pictures.raster(path, edgeFor(polycount / 4.2 / covered)));
  return { heights, full };
}

/** The prompt's words and the seed determine how bold the relief is. */
function measureDepth({ prompt = "", seed }: ReliefInput): number {
  const words = prompt.toLowerCase();
  const told = /\b(flat|shallow|coin|medal|subtle)\b/.test(words)
    ? 0.5
    : /\b(deep|bold|thick|round|sculpture|statue|figurine)\b/.test(words)
      ? 1.5
      : 1;
  return 0.2 * told * (1 + ((seed % 21) - 10) / 100);
}

async function paintSkin(
  pictures: Pictures,
  photo: Raster,
  isTextured: boolean,
): Promise<Part["skin"]> {
  if (!isTextured) return { color: meanColor(photo) };
  return { color: [1, 1, 1], picture: await pictures.encode(flatten(photo), "jpeg") };
}

/** Blends transparency with the mean colour, so that no dark rim shows where the outline is cut. */
function flatten(photo: Raster): Raster {
  const { width, height, pixels, channels } = photo;
  const mean = meanColor(photo).map((value) => Math.round(255 * value ** (1 / 2.2)));
  const opaque = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    const alpha = (pixels[i * channels + 3] ?? 255) / 255;
    for (let channel = 0; channel < 3; channel++)
      opaque[i * 3 + channel] =
        (pixels[i * channels + channel] ?? 0) * alpha + (mean[channel] ?? 0) * (1 - alpha);
  }
  return { width, height, channels: 3, pixels: opaque };
}

/** Returns the mean colour of the opaque pixels, linear. */
function meanColor({ pixels, channels }: Raster): [number, number, number] {
  const sums = [0, 0, 0];
  let count = 0;
  for (let at = 0; at < pixels.length; at += channels * 7) {
    if ((pixels[at + 3] ?? 255) < 128) continue;
    count++;
    for (let channel = 0; channel < 3; channel++)
      sums[channel] = (sums[channel] ?? 0) + ((pixels[at + channel] ?? 0) / 255) ** 2.2;
  }
  const [red, green, blue] = sums.map((sum) => (count === 0 ? 0.5 : sum / count));
  return [red ?? 0.5, green ?? 0.5, blue ?? 0.5];
}

/** Draws the relief from the front, lit from the upper left, with transparency around it. */
function drawPreview({ heights, full }: Photo): Raster {
  const { width, height, mask } = heights;
  const scale = 512 / Math.max(width, height);
  const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
  const pixels = new Uint8Array(columns * rows * 4);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const [x, y] = [column / scale, row / scale];
      const slope =
        heightAt(heights, x + 1, y) -
        heightAt(heights, x - 1, y) +
        heightAt(heights, x, y + 1) -
        heightAt(heights, x, y - 1);
      const light = Math.min(1.35, Math.max(0.55, 1 + slope * width * 0.03));
      const fromX = Math.floor((column / columns) * full.width);
      const fromY = Math.floor((row / rows) * full.height);
      const from = (fromY * full.width + fromX) * full.channels;
      const to = (row * columns + column) * 4;
      for (let channel = 0; channel < 3; channel++)
        pixels[to + channel] = Math.min(255, (full.pixels[from + channel] ?? 0) * light);
      pixels[to + 3] = mask[Math.floor(y) * width + Math.floor(x)] === 1 ? 255 : 0;
    }
  return { width: columns, height: rows, channels: 4, pixels };
}

/** Interpolates the height between samples. */
function heightAt({ width, height, values }: Heights, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const at = (column: number, row: number): number =>
    values[
      Math.min(height - 1, Math.max(0, row)) * width + Math.min(width - 1, Math.max(0, column))
    ] ?? 0;
  const [across, down] = [x - left, y - top];
  const above = at(left, top) * (1 - across) + at(left + 1, top) * across;
  const below = at(left, top + 1) * (1 - across) + at(left + 1, top + 1) * across;
  return above * (1 - down) + below * down;
}
