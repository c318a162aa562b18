/** The kinds of media that can be made, and the calls for each. */
import type {
  Generate3DRequest,
  GenerateAudioRequest,
  GenerateImageRequest,
  GenerateVideoRequest,
  Job,
  JobCostRequest,
  Model,
  OutputSet,
  RemoveBackgroundVideoRequest,
  RestoreVideoRequest,
} from "../../clients/typescript/src/generated/models.ts";
import type { Klieg } from "../../clients/typescript/src/klieg.ts";
import type { IconName } from "../parts/icon.tsx";
import type { Body } from "./body.ts";
import { setRequest } from "./sets.ts";

export type KindName = JobCostRequest["kind"];

export interface Kind {
  readonly name: KindName;
  readonly title: string;
  readonly icon: IconName;
  readonly modality: Model["modality"];
  readonly operation: Model["operations"][number];
  /** Path of the call, without `/v1`. */
  readonly path: string;
  /** Names of the kind in the command line and in the client. */
  readonly command: string;
  readonly method: string;
  readonly extension: string;
  /** Builds the body of a submit. */
  readonly buildRequest: (body: Body) => object;
  readonly submit: (klieg: Klieg, body: Body) => Promise<Submitted>;
}

export interface Submitted {
  readonly jobIds: readonly string[];
  /** Why pictures of a set were refused, one text each. */
  readonly refusals: readonly string[];
}

const generate = "generate";
const asIs = (body: Body) => body;
const one = ({ id }: Job): Submitted => ({ jobIds: [id], refusals: [] });

function several({ members, problems }: OutputSet): Submitted {
  return {
    jobIds: members.flatMap(({ job_id: id }) => id ?? []),
    refusals: problems.map(({ label, detail }) => `${label}: ${detail}`),
  };
}

export const kinds: readonly Kind[] = [
  {
    name: "image",
    title: "Picture",
    icon: "assets",
    modality: "image",
    operation: generate,
    path: "/generate/image",
    command: "generate image",
    method: "generate.image",
    extension: "png",
    buildRequest: asIs,
    submit: async (klieg, body) => one(await klieg.generate.image(body as GenerateImageRequest)),
  },
  {
    name: "set",
    title: "Set",
    icon: "copy",
    modality: "image",
    operation: "set",
    path: "/generate/set",
    command: "generate set",
    method: "generate.set",
    extension: "png",
    buildRequest: setRequest,
    submit: async (klieg, { confirmation_token: token, ...body }) =>
      several(
        await klieg.generate.set({
          ...setRequest(body as Body),
          ...(token === undefined ? {} : { confirmation_token: String(token) }),
        }),
      ),
  },
  {
    name: "video",
    title: "Video",
    icon: "film",
    modality: "video",
    operation: generate,
    path: "/generate/video",
    command: "generate video",
    method: "generate.video",
    extension: "mp4",
    buildRequest: asIs,
    submit: async (klieg, body) => one(await klieg.generate.video(body as GenerateVideoRequest)),
  },
  {
    name: "audio",
    title: "Sound",
    icon: "sound",
    modality: "audio",
    operation: generate,
    path: "/generate/audio",
    command: "generate audio",
    method: "generate.audio",
    extension: "mp3",
    buildRequest: asIs,
    submit: async (klieg, body) => one(await klieg.generate.audio(body as GenerateAudioRequest)),
  },
  {
    name: "three_d",
    title: "3D",
    icon: "cube",
    modality: "three_d",
    operation: generate,
    path: "/generate/3d",
    command: "generate 3d",
    method: "generate.threeD",
    extension: "glb",
    buildRequest: asIs,
    submit: async (klieg, body) =>
      one(await klieg.generate.threeD(body as Body & Generate3DRequest)),
  },
  {
    name: "video_background_removal",
    title: "Cut-out",
    icon: "compositions",
    modality: "video",
    operation: "background_removal",
    path: "/remove-background/video",
    command: "remove-background",
    method: "generate.removeBackground",
    extension: "webm",
    buildRequest: asIs,
    submit: async (klieg, body) =>
      one(await klieg.generate.removeBackground(body as Body & RemoveBackgroundVideoRequest)),
  },
  {
    name: "video_restoration",
    title: "Restore",
    icon: "repeat",
    modality: "video",
    operation: "restoration",
    path: "/restore/video",
    command: "restore",
    method: "generate.restoreVideo",
    extension: "mp4",
    buildRequest: asIs,
    submit: async (klieg, body) =>
      one(await klieg.generate.restoreVideo(body as Body & RestoreVideoRequest)),
  },
];

export function getKind(name: string | undefined): Kind {
  const [first] = kinds;
  const known = kinds.find((kind) => kind.name === name) ?? first;
  if (known === undefined) throw new Error("there are kinds");
  return known;
}

export function isOfKind(model: Model, { modality, operation }: Kind): boolean {
  return model.modality === modality && model.operations.includes(operation);
}

/** Returns the generic kind of a model's modality, for repeating a job. */
export function kindOfModel(model: Model): Kind {
  return kinds.find((kind) => isOfKind(model, kind)) ?? getKind(undefined);
}
