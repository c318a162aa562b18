/** Tools that quote, submit and follow generations. */

import type { Generation } from "../../clients/typescript/src/generate.ts";
import { modalities } from "../../config/modalities.ts";
import { Type } from "../../config/schema.ts";
import { strict, Uuid } from "../../contract/common.ts";
import { JobCostRequest } from "../../contract/cost.ts";
import {
  EnhancePromptRequest,
  Generate3DRequest,
  GenerateAudioRequest,
  GenerateImageRequest,
  GenerateVideoRequest,
  RemoveBackgroundVideoRequest,
  RestoreVideoRequest,
} from "../../contract/generation.ts";
import { type Tool, tool } from "./tool.ts";
import { timeoutSeconds, waitSecondsUsual } from "./waiting.ts";

const { Optional } = Type;

export const idempotencyKey = Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      "If the request is repeated with the same key within five minutes, it is refused and not charged: " +
      "the response names what the first one made.",
  }),
);

const jobAtOnce = "Returns the job at once; follow it with wait_for_job.";

export const toldAfterwards =
  "Costs credits: see quote. If the answer is approval_required, show it to your customer and do " +
  "not try anything cheaper on your own.";

function generationTool(
  name: string,
  what: Generation,
  title: string,
  description: string,
  request: Type.TObject,
): Tool {
  const { model, ...fields } = request.properties;
  return tool({
    name,
    title,
    description: `${description} ${jobAtOnce} ${toldAfterwards}`,
    takes: strict({
      ...(model && { model: Optional(model) }),
      ...fields,
      idempotency_key: idempotencyKey,
    }),
    run({ idempotency_key: key, ...given }, { klieg, signal }) {
      return klieg.generate.submit(what, Object.assign({ model: "default" }, given), {
        signal,
        idempotencyKey: typeof key === "string" ? key : undefined,
      });
    },
  });
}

const waitForJob = tool({
  name: "wait_for_job",
  title: "Wait for a job",
  description:
    "Waits until a job has ended and returns it: its assets have time-limited links. If the time runs " +
    "out first, the answer has the code timeout and the job continues: call this again.",
  isReadOnly: true,
  takes: strict({ job_id: Uuid, timeout_seconds: timeoutSeconds }),
  run({ job_id: id, timeout_seconds: seconds = waitSecondsUsual }, turn) {
    const { klieg, signal, report } = turn;
    return klieg.jobs.wait(id, {
      signal,
      timeoutSeconds: seconds,
      onEvent: ({ data }) => report(("progress" in data && data.progress) || 0, data.status),
    });
  },
});

const page = {
  limit: Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Optional(Type.String({ description: "next_cursor of the previous page." })),
};

export const generationTools: readonly Tool[] = [
  tool({
    name: "list_models",
    title: "List models",
    description: "The models, with the inputs, limits and price of each.",
    isReadOnly: true,
    takes: strict({ modality: Optional(Type.Enum([...modalities])) }),
    run: (given, { klieg, signal }) => klieg.models.list(given, { signal }),
  }),
  tool({
    name: "quote",
    title: "Quote",
    description:
      "What a generation would cost, in credits; nothing is submitted or charged. Give the kind, and the " +
      "request in the member of that name.",
    isReadOnly: true,
    takes: JobCostRequest,
    run: (given, { klieg, signal }) => klieg.jobs.quote(given, { signal }),
  }),
  generationTool(
    "generate_image",
    "image",
    "Make a picture",
    "Makes one or more pictures from a prompt, and from pictures where reference_asset_ids are given.",
    GenerateImageRequest,
  ),
  generationTool(
    "generate_video",
    "video",
    "Make a video",
    "Makes a video from a prompt and, if given, its first frame.",
    GenerateVideoRequest,
  ),
  generationTool(
    "generate_audio",
    "audio",
    "Make speech, music or a sound",
    "Makes speech from text, or music or a sound effect from a description.",
    GenerateAudioRequest,
  ),
  generationTool(
    "generate_3d",
    "threeD",
    "Make a 3D model",
    "Makes a 3D model from photos of an object.",
    Generate3DRequest,
  ),
  generationTool(
    "remove_background",
    "removeBackground",
    "Remove a video's background",
    "Makes a copy of a video without its background, transparent or on one color.",
    RemoveBackgroundVideoRequest,
  ),
  generationTool(
    "restore_video",
    "restoreVideo",
    "Restore a video",
    "Makes a copy of a video that is larger, cleaner, sharper or smoother.",
    RestoreVideoRequest,
  ),
  tool({
    name: "enhance_prompt",
    title: "Rewrite a video prompt",
    description: "Rewrites a prompt for a video model; costs 1 credit.",
    takes: EnhancePromptRequest,
    run: (given, { klieg, signal }) => klieg.generate.enhancePrompt(given, { signal }),
  }),
  waitForJob,
  tool({
    name: "get_job",
    title: "Read a job",
    description: "The current state of a job.",
    isReadOnly: true,
    takes: strict({ job_id: Uuid }),
    run: ({ job_id: id }, { klieg, signal }) => klieg.jobs.get(id, { signal }),
  }),
  tool({
    name: "list_jobs",
    title: "List jobs",
    description: "Jobs, newest first.",
    isReadOnly: true,
    takes: strict({
      ...page,
      status: Optional(
        Type.String({
          description:
            "One or more of queued, running, succeeded, failed, canceled, separated by commas.",
        }),
      ),
    }),
    run: (given, { klieg, signal }) => klieg.jobs.list(given, { signal }),
  }),
  tool({
    name: "cancel_job",
    title: "Cancel a job",
    description: "Cancels a queued or running job; the answer says what happens to its credits.",
    takes: strict({ job_id: Uuid }),
    run: ({ job_id: id }, { klieg, signal }) => klieg.jobs.cancel(id, { signal }),
  }),
];
