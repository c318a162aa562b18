import { join } from "node:path";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { TaskOutcome } from "../../engine/ports/tasks.ts";
import { deliverRecording } from "../media/delivery.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import { Source, type Workspace, type Workspaces } from "../node/workspace.ts";
import { outputTo } from "../programs/media-tools.ts";
import { getSoundArguments, openVideo, videoInput } from "./edited-video.ts";

/**
 * The model `studio-restore`: removes block edges and noise, interpolates motion when another frame
 * rate is requested, enlarges by Lanczos, sharpens. It uses classic filters without learned weights
 * and invents no detail.
 */
const share = Type.Number({ minimum: 0, maximum: 1 });
const RestoreInput = Type.Object(
  {
    source: Source,
    width: Type.Integer({ minimum: 2, maximum: 3_840, multipleOf: 2 }),
    height: Type.Integer({ minimum: 2, maximum: 3_840, multipleOf: 2 }),
    denoise: share,
    sharpen: share,
    fps: Type.Optional(Type.Integer({ minimum: 24, maximum: 120 })),
  },
  { additionalProperties: false },
);
type RestoreInput = Static<typeof RestoreInput>;
const isRestoreInput = check<RestoreInput>(RestoreInput);

const pixelsMax = 3_840 * 2_160;

export function studioRestore(
  workspaces: Workspaces,
  objects: Objects,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isRestoreInput(input)) return refuseInput("restore", isRestoreInput.faults(input));
      if (input.width * input.height > pixelsMax)
        return refuseInput("restore", [{ pointer: "/height", detail: "would exceed 3840x2160" }]);
      return workspaces.use((workspace) => restore(workspace, objects, input, context, timeoutMs));
    },
  };
}

async function restore(
  { folder, media: tools }: Workspace,
  objects: Objects,
  input: RestoreInput,
  { signal, outputPrefix, reportProgress }: TaskContext,
  timeoutMs: number,
): Promise<TaskOutcome> {
  const video = await openVideo(tools, objects, input.source, folder, signal);
  const path = join(folder, "restored.mp4");
  const total = video.recording.durationSeconds;
  const args = [
    ...videoInput(video),
    ...["-map", "0:v:0", "-vf", listFilters(input, video.picture.frameRate).join(",")],
    ...["-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p"],
    ...["-threads", "2", "-movflags", "+faststart"],
    ...getSoundArguments(video.recording, "mp4"),
    ...["-map_metadata", "-1", "-f", "mp4", ...outputTo(path)],
  ];
  await tools.ffmpeg(args, {
    signal,
    timeoutMs,
    fault: "The video could not be restored.",
    onSeconds: (seconds) => reportProgress((0.97 * seconds) / total),
  });
  const delivery = { tools, objects, signal, stem: `${outputPrefix}/0` };
  const output = await deliverRecording(delivery, path, "video/mp4");
  return { kind: "succeeded", outputs: [output] };
}

/** Lists the filters; the costly ones run at the source's size. */
function listFilters(
  { width, height, denoise, sharpen, fps }: RestoreInput,
  from: number,
): string[] {
  const filters = ["format=yuv420p"];
  if (denoise > 0) {
    const [still, moving] = [(7 * denoise).toFixed(2), (9 * denoise).toFixed(2)];
    filters.push("deblock=filter=weak:block=8");
    filters.push(`hqdn3d=${still}:${still}:${moving}:${moving}`);
  }
  const search = "me_mode=bilat:me=hexbs:search_param=16:scd=fdiff";
  if (fps !== undefined && Math.abs(fps - from) > 0.01)
    filters.push(`minterpolate=fps=${fps}:mi_mode=mci:mc_mode=obmc:${search}`);
  filters.push(`scale=${width}:${height}:flags=lanczos+accurate_rnd,setsar=1`);
  if (sharpen > 0) filters.push(`unsharp=5:5:${(1.3 * sharpen).toFixed(2)}:5:5:0`);
  return filters;
}
