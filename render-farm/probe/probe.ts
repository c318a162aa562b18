import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../config/limits.ts";
import { plainType } from "../../config/media-types.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome, TaskOutput } from "../../engine/ports/tasks.ts";
import {
  type Delivery,
  getMeasures,
  recordingThumbnail,
  storeThumbnail,
} from "../media/delivery.ts";
import { inspectRecording } from "../media/recordings.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import {
  computeDigest,
  fetchSource,
  type LocalFile,
  Source,
  type Workspace,
  type Workspaces,
} from "../node/workspace.ts";
import type { Pictures } from "../pictures/pictures.ts";
import { inspectModel } from "./model-files.ts";
import { inspectFont, inspectTable } from "./text-files.ts";

/**
 * Task kind `probe`: detects the type of an uploaded or fetched file by its bytes, and whether it
 * can be decoded. The one output names the source itself; only the thumbnail is new.
 */
const ProbeInput = Type.Object(
  { source: Source, declaredType: Type.Optional(Type.String({ maxLength: 128 })) },
  { additionalProperties: false },
);
type ProbeInput = Static<typeof ProbeInput>;
const isProbeInput = check<ProbeInput>(ProbeInput);

type Measures = Partial<TaskOutput> & { readonly mimeType: string };

export function probe(workspaces: Workspaces, objects: Objects, timeoutMs: number): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isProbeInput(input)) return refuseInput("probe", isProbeInput.faults(input));
      const output = await workspaces.use((workspace) =>
        examine(workspace, objects, input, context),
      );
      return { kind: "succeeded", outputs: [output] };
    },
  };
}

async function examine(
  { folder, media: tools, pictures }: Workspace,
  objects: Objects,
  { source, declaredType }: ProbeInput,
  { signal, outputPrefix }: TaskContext,
): Promise<TaskOutput> {
  const hint = { ...source, mimeType: declaredType ?? source.mimeType };
  const file = await fetchSource(objects, hint, join(folder, "source"), signal);
  const delivery = { tools, objects, signal, stem: `${outputPrefix}/0` };
  const measures = await measure(file, pictures, delivery);
  if (declaredType !== undefined && plainType(declaredType) !== measures.mimeType)
    throw new PortError(
      `The file is ${measures.mimeType}, not ${declaredType} as declared.`,
      false,
    );
  const { sizeBytes } = file;
  const sha256 = await computeDigest(file.path);
  return { objectKey: source.objectKey, sizeBytes, sha256, ...measures };
}

/** Describes a file by its bytes and stores its thumbnail. Throws `PortError` if it is damaged. */
export async function measure(
  file: LocalFile,
  pictures: Pictures,
  delivery: Delivery,
): Promise<Measures> {
  const { mimeType, path } = file;
  switch (mimeType.split("/")[0]) {
    case "image": {
      const size = await pictures.inspect(path);
      const thumbnailKey = `${delivery.stem}.thumb.jpg`;
      await delivery.objects.put(thumbnailKey, [await pictures.thumbnail(path)]);
      return { mimeType, ...size, thumbnailKey };
    }
    case "video":
    case "audio": {
      const recording = await inspectRecording(delivery.tools, file, delivery.signal);
      const thumbnail = recordingThumbnail(delivery, file, recording);
      const thumbnailKey = await storeThumbnail(delivery, thumbnail);
      return { mimeType: recording.mimeType, ...getMeasures(recording), thumbnailKey };
    }
    case "model":
      inspectModel(await whole(file), mimeType);
      return { mimeType };
    case "font":
      inspectFont(await whole(file), mimeType);
      return { mimeType };
    default:
      inspectTable(await whole(file));
      return { mimeType };
  }
}

async function whole({ path, sizeBytes }: LocalFile): Promise<Buffer> {
  if (sizeBytes > limits.media.wholeBytesMax)
    throw new PortError("The file is too large for its type.", false);
  return readFile(path);
}
