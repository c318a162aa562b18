import { join } from "node:path";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { deliverRecording } from "../media/delivery.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import { Source, type Workspace, type Workspaces } from "../node/workspace.ts";
import { type MediaTools, outputTo } from "../programs/media-tools.ts";
import { type Backdrop, findBackdrop } from "./backdrop.ts";
import {
  type Container,
  type EditedVideo,
  getSoundArguments,
  openVideo,
  videoInput,
} from "./edited-video.ts";

/**
 * The model `studio-matte` (background removal): a backdrop of one colour is keyed and its colour
 * spill removed; otherwise the subject is whatever differs from the median of the video's frames,
 * which requires a still camera. It uses no learned weights.
 */
const MatteInput = Type.Object(
  {
    source: Source,
    background: Type.Enum(["transparent", "color"]),
    color: Type.Optional(Type.String({ pattern: "^#[0-9a-fA-F]{6}$" })),
    format: Type.Enum(["webm", "mov", "mp4"]),
  },
  { additionalProperties: false },
);
type MatteInput = Static<typeof MatteInput>;
const isMatteInput = check<MatteInput>(MatteInput);

const mimeTypes = { webm: "video/webm", mov: "video/quicktime", mp4: "video/mp4" } as const;

export function studioMatte(
  workspaces: Workspaces,
  objects: Objects,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isMatteInput(input)) return refuseInput("matte", isMatteInput.faults(input));
      const { background, color, format } = input;
      if (background === "color" && color === undefined)
        return refuseInput("matte", [{ pointer: "/color", detail: "is required with a color" }]);
      if (background === "transparent" && format === "mp4")
        return refuseInput("matte", [
          { pointer: "/format", detail: "mp4 cannot be transparent; ask for webm or mov" },
        ]);
      return workspaces.use((workspace) => matte(workspace, objects, input, context, timeoutMs));
    },
  };
}

async function matte(
  { folder, media: tools }: Workspace,
  objects: Objects,
  input: MatteInput,
  { signal, outputPrefix, reportProgress }: TaskContext,
  timeoutMs: number,
): Promise<TaskOutcome> {
  const { format, background, color } = input;
  const video = await openVideo(tools, objects, input.source, folder, signal);
  const backdrop = await findBackdrop(tools, video, signal);
  reportProgress(0.05);
  const plate = join(folder, "plate.png");
  const warnings: string[] = [];
  if (backdrop.kind === "scene") {
    await makePlate(tools, video, plate, signal, timeoutMs);
    if (await isPlateMoving(tools, video, plate, signal)) warnings.push(movingPlate);
  }
  const plateInput = backdrop.kind === "scene" ? ["-loop", "1", "-i", `file:${plate}`] : [];
  const cut = backdrop.kind === "scene" ? subtracted : writeKeyFilter(backdrop);
  const fill = background === "color" ? color : undefined;
  const graph = fill === undefined ? `${cut}[out]` : `${cut}[cut];${fillHoles(video, fill)}[out]`;
  const path = join(folder, `matte.${format}`);
  const args = [
    ...videoInput(video),
    ...plateInput,
    ...["-filter_complex", graph, "-map", "[out]"],
    ...getEncoding(format, fill === undefined),
    ...getSoundArguments(video.recording, format),
    ...["-map_metadata", "-1", ...outputTo(path)],
  ];
  const total = video.recording.durationSeconds;
  await tools.ffmpeg(args, {
    signal,
    timeoutMs,
    fault: "The background could not be removed from this video.",
    onSeconds: (seconds) => reportProgress(0.1 + (0.87 * seconds) / total),
  });
  const delivery = { tools, objects, signal, stem: `${outputPrefix}/0` };
  const output = await deliverRecording(delivery, path, mimeTypes[format]);
  return { kind: "succeeded", outputs: [output], warnings };
}

const edgePixels = 4;

/** Distances are fractions of the filters' own scale: chroma distance over 255 * sqrt 2. */
function writeKeyFilter({
  yuv,
  chromaSpread,
  lumaSpread,
}: Extract<Backdrop, { kind: "flat" }>): string {
  const [y, u, v] = yuv;
  const name = [y, u, v].map((value) => Math.round(value).toString(16).padStart(2, "0")).join("");
  if (Math.hypot(u - 128, v - 128) > 34) {
    const similarity = Math.min(0.17, 0.055 + chromaSpread / 300);
    const spill = v < u && u > 140 ? "blue" : "green";
    const isScreen = v < 128 || spill === "blue";
    const key = `chromakey=color=0x${name}:yuv=1:similarity=${similarity.toFixed(3)}:blend=0.07`;
    // Makes nearly transparent pixels transparent and nearly opaque ones opaque.
    const firm = "format=rgba,lutrgb=a='clip((val-22)*1.2,0,255)'";
    const cut = `[0:v:0]format=yuv444p,${key},${firm}`;
    if (!isScreen) return cut;
    // Spill is removed only along edges, so that a subject's own green or blue stays.
    return (
      `${cut},split=3[own][lit][cutout];[own]format=gbrp[plain];` +
      `[lit]despill=type=${spill}:mix=0.5:expand=0.05,format=gbrp[clean];` +
      `[cutout]alphaextract,split[mask][inner];[inner]${"erosion,".repeat(edgePixels)}negate,` +
      "format=gbrp[edge];[plain][clean][edge]maskedmerge[base];[base][mask]alphamerge"
    );
  }
  // For a colourless backdrop the sum of the three distances decides.
  const away = (value: number, weight: number): string =>
    `'clip(abs(val-${value.toFixed(0)})*${weight},0,255)'`;
  const step = `clip((val-${(lumaSpread + 7).toFixed(0)})*12,0,255)`;
  return (
    "[0:v:0]split[own][shape];[shape]format=yuv444p," +
    `lutyuv=y=${away(y, 1)}:u=${away(u, 2)}:v=${away(v, 2)},extractplanes=y+u+v[a][b][c];` +
    "[a][b]blend=all_mode=addition[ab];[ab][c]blend=all_mode=addition," +
    `lut=c0='${step}',median=radius=1,erosion,gblur=sigma=0.8[mask];` +
    "[own]format=yuv444p[base];[base][mask]alphamerge"
  );
}

/** Subject mask: differences from the plate in any channel; specks go, gaps close, edges soften. */
const subtracted =
  "[0:v:0]split[own][shape];[shape]format=gbrp[now];[1:v:0]format=gbrp[plate];" +
  "[now][plate]blend=all_mode=difference:shortest=1," +
  "colorchannelmixer=.7:.7:.7:0:.7:.7:.7:0:.7:.7:.7:0,extractplanes=g,gblur=sigma=1.2," +
  "lut=c0='clip((val-16)*8,0,255)',median=radius=3,dilation,dilation,dilation,erosion,erosion," +
  "erosion,erosion,gblur=sigma=1[mask];[own]format=yuv444p[base];[base][mask]alphamerge";

/** Makes the median of up to 25 frames spread over the video; moving objects are not in it. */
async function makePlate(
  tools: MediaTools,
  video: EditedVideo,
  path: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<void> {
  const frames = 25;
  const rate = Math.max(0.05, frames / Math.max(0.4, video.recording.durationSeconds));
  const picked = Math.min(rate, video.picture.frameRate || 25).toFixed(4);
  // Only the filter's last frame is based on all of the picked frames.
  const count = Math.min(
    frames,
    Math.max(3, Math.floor(video.recording.durationSeconds * Number(picked))),
  );
  const radius = Math.max(1, Math.floor((count - 1) / 2));
  const median = `fps=${picked},format=gbrp,tmedian=radius=${radius}`;
  await tools.ffmpeg(
    [
      ...videoInput(video),
      "-map",
      "0:v:0",
      "-vf",
      median,
      "-update",
      "1",
      "-c:v",
      "png",
      `file:${path}`,
    ],
    { signal, timeoutMs, fault: "The video's background could not be found." },
  );
}

const movingPlate =
  "the background moves or its light changes, so parts of it stay; " +
  "this model needs an even backdrop or a camera that stands still";
const [lookWidth, lookHeight, lookEdge] = [160, 90, 8];

/** Whether the video's edges, where a subject seldom is, often differ from the plate. */
async function isPlateMoving(
  tools: MediaTools,
  video: EditedVideo,
  plate: string,
  signal: AbortSignal,
): Promise<boolean> {
  const call = { signal, fault: "The video's background could not be analyzed." };
  const small = `scale=${lookWidth}:${lookHeight},format=gray`;
  const rate = Math.max(0.05, 12 / Math.max(0.4, video.recording.durationSeconds)).toFixed(4);
  const raw = ["-f", "rawvideo", "-"];
  const looked = ["-map", "0:v:0", "-vf", `fps=${rate},${small}`, "-frames:v", "12", ...raw];
  const [frames, still] = await Promise.all([
    tools.ffmpeg([...videoInput(video), ...looked], call),
    tools.ffmpeg(["-f", "png_pipe", "-i", `file:${plate}`, "-vf", small, ...raw], call),
  ]);
  const length = lookWidth * lookHeight;
  const shares = Array.from({ length: Math.floor(frames.length / length) }, (_, at) =>
    differingEdge(frames.subarray(at * length, (at + 1) * length), still),
  ).sort((one, other) => one - other);
  return (shares[Math.floor(shares.length / 2)] ?? 0) > edgeShareMax;
}

const edgeShareMax = 0.2;

/** Returns the share of edge pixels that differ from the plate. */
function differingEdge(frame: Uint8Array, plate: Uint8Array): number {
  let [all, differing] = [0, 0];
  for (let y = 0; y < lookHeight; y++)
    for (let x = 0; x < lookWidth; x++) {
      const nearest = Math.min(x, y, lookWidth - 1 - x, lookHeight - 1 - y);
      if (nearest >= lookEdge) continue;
      all += 1;
      const at = y * lookWidth + x;
      if (Math.abs((frame[at] ?? 0) - (plate[at] ?? 0)) > 20) differing += 1;
    }
  return differing / all;
}

function fillHoles({ picture }: EditedVideo, color: string): string {
  const rate = picture.frameRate > 0 ? picture.frameRate : 25;
  const sheet = `color=c=0x${color.slice(1)}:s=${picture.width}x${picture.height}:r=${rate}`;
  return `${sheet},format=yuv444p[sheet];[sheet][cut]overlay=format=yuv444:shortest=1`;
}

function getEncoding(format: Container, isTransparent: boolean): readonly string[] {
  if (format === "webm") {
    const pixels = isTransparent
      ? ["-pix_fmt", "yuva420p", "-auto-alt-ref", "0"]
      : ["-pix_fmt", "yuv420p"];
    const speed = ["-deadline", "realtime", "-cpu-used", "8", "-row-mt", "1", "-threads", "2"];
    return ["-c:v", "libvpx-vp9", ...pixels, "-crf", "18", "-b:v", "0", ...speed, "-f", "webm"];
  }
  if (isTransparent) {
    const alpha = ["-profile:v", "4444", "-pix_fmt", "yuva444p10le", "-alpha_bits", "8"];
    return ["-c:v", "prores_ks", ...alpha, "-vendor", "apl0", "-qscale:v", "9", "-f", "mov"];
  }
  const h264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "17", "-pix_fmt", "yuv420p"];
  return [...h264, "-threads", "2", "-movflags", "+faststart", "-f", format];
}
