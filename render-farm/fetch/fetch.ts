/**
 * Task kind `fetch`: brings what a provider made into the object store. Files at addresses are
 * downloaded; what the service itself received is there already. Each is probed and gets a
 * thumbnail, and must be of the modality that was asked for.
 */
import { join } from "node:path";
import { limits } from "../../config/limits.ts";
import { extensionByType } from "../../config/media-types.ts";
import { type Modality, modalities } from "../../config/modalities.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { TaskOutcome, TaskOutput } from "../../engine/ports/tasks.ts";
import type { Web } from "../../engine/ports/web.ts";
import { refuseInput, type TaskContext, type TaskWorker } from "../node/task-loop.ts";
import {
  computeDigest,
  fetchSource,
  localFile,
  storeFile,
  type Workspace,
  type Workspaces,
} from "../node/workspace.ts";
import { measure } from "../probe/probe.ts";
import { download, FetchBounds } from "./download.ts";

const FetchInput = Type.Object(
  {
    modality: Type.Enum([...modalities]),
    files: Type.Array(
      Type.Union([
        Type.Object({ url: Type.String({ maxLength: 8_192 }) }, { additionalProperties: false }),
        Type.Object({ objectKey: Type.String() }, { additionalProperties: false }),
      ]),
      { maxItems: limits.fetch.filesMax },
    ),
    bounds: FetchBounds,
  },
  { additionalProperties: false },
);
type FetchInput = Static<typeof FetchInput>;
const isFetchInput = check<FetchInput>(FetchInput);

export function fetchResults(
  workspaces: Workspaces,
  objects: Objects,
  web: Web,
  timeoutMs: number,
): TaskWorker {
  return {
    timeoutMs,
    async run(context): Promise<TaskOutcome> {
      const { input } = context;
      if (!isFetchInput(input)) return refuseInput("fetch", isFetchInput.faults(input));
      const outputs = await workspaces.use(async (workspace) => {
        const made: TaskOutput[] = [];
        for (const [at, file] of input.files.entries())
          made.push(await bring(workspace, objects, web, { ...input, file, at }, context));
        return made;
      });
      return { kind: "succeeded", outputs };
    },
  };
}

interface Wanted extends Pick<FetchInput, "modality" | "bounds"> {
  readonly file: FetchInput["files"][number];
  readonly at: number;
}

async function bring(
  { folder, media: tools, pictures }: Workspace,
  objects: Objects,
  web: Web,
  { file, at, bounds, modality }: Wanted,
  { signal, outputPrefix }: TaskContext,
): Promise<TaskOutput> {
  const path = join(folder, `result-${at}`);
  const stem = `${outputPrefix}/${at}`;
  if ("url" in file) await download(web, file.url, bounds, path, signal);
  const local =
    "url" in file
      ? await localFile(path)
      : await fetchSource(objects, { objectKey: file.objectKey, mimeType: "" }, path, signal);
  const delivery = { tools, objects, signal, stem };
  const measures = await measure(local, pictures, delivery);
  const { mimeType } = measures;
  if (mimeType.split("/")[0] !== families[modality])
    throw new PortError(`The provider's result is ${mimeType}, and not ${names[modality]}.`, false);
  if ("objectKey" in file) {
    const { sizeBytes } = local;
    return { objectKey: file.objectKey, sizeBytes, sha256: await computeDigest(path), ...measures };
  }
  const objectKey = `${stem}.${extensionByType[mimeType] ?? "bin"}`;
  return { objectKey, ...(await storeFile(objects, objectKey, path)), ...measures };
}

const families: Readonly<Record<Modality, string>> = {
  image: "image",
  video: "video",
  audio: "audio",
  three_d: "model",
};

const names: Readonly<Record<Modality, string>> = {
  image: "a picture",
  video: "a video",
  audio: "sound",
  three_d: "a 3D model",
};
