import t from "tap";
import { resolveAudio } from "../../actors/generation/audio.ts";
import { resolveBackgroundRemoval } from "../../actors/generation/background-removal.ts";
import type { Generation, Sources } from "../../actors/generation/generation.ts";
import { resolveImage } from "../../actors/generation/image.ts";
import { resolveRestoration } from "../../actors/generation/restoration.ts";
import { resolve3D } from "../../actors/generation/three-d.ts";
import { resolveVideo } from "../../actors/generation/video.ts";
import type { Refusal } from "../../actors/refusal.ts";
import type { ModelEntry } from "../../config/catalogue.ts";
import type { Modality } from "../../config/modalities.ts";
import { parseId } from "../../engine/id.ts";
import { makeCatalogue, plainModel } from "./models.ts";

const ids = {
  picture: "0197b9a0-0000-7000-8000-000000000001",
  mask: "0197b9a0-0000-7000-8000-000000000002",
  film: "0197b9a0-0000-7000-8000-000000000003",
  voice: "0197b9a0-0000-7000-8000-000000000004",
};
const mimeTypes: Readonly<Record<string, string>> = {
  [ids.picture]: "image/png",
  [ids.mask]: "image/png",
  [ids.film]: "video/mp4",
  [ids.voice]: "audio/mpeg",
};
const sources: Sources = (name) => {
  const id = parseId(name);
  const mimeType = mimeTypes[name];
  if (id === undefined || mimeType === undefined) return undefined;
  const media = { objectKey: name, mimeType, sizeBytes: 1, width: 640, height: 360 };
  const displayName = () => "a source";
  return { id, job: undefined, displayName, media: { ...media, durationSeconds: 3, sha256: "" } };
};
const source = (id: string) => ({ objectKey: id, mimeType: mimeTypes[id] });

const capabilities = Object.fromEntries(
  [
    ...["negative_prompt", "seed", "free_size", "inpaint", "first_frame", "last_frame"],
    ...["reference_images", "video_to_video", "native_audio", "lyrics", "voice_reference"],
    ...["frame_interpolation", "prompt_enhance", "transparent_background"],
  ].map((name) => [name, true]),
);

function remote(modality: Modality, more: Partial<ModelEntry>): ModelEntry {
  return {
    ...plainModel,
    modality,
    capabilities,
    provider: "fal",
    provider_model: "a/b",
    provider_options: true,
    defaults: {},
    options: {},
    limits: {},
    ...more,
  };
}

function makeAsk(model: ModelEntry) {
  return { catalogue: makeCatalogue(model), plan: "free" } as const;
}

function getInput(found: Generation | Refusal): unknown {
  return "code" in found ? found : found.input;
}

const image = remote("image", {
  defaults: { aspect_ratio: "16:9", resolution: "1k", output_format: "jpeg" },
  options: { aspect_ratio: ["16:9"], resolution: ["1k"], output_format: ["jpeg", "png"] },
  limits: { "image.num_images_max": 4, "image.reference_images_max": 2 },
});

t.test("an image's fields are there after defaulting, by their names in the API", async (t) => {
  const request = { model: "plain", prompt: " a kite ", display_name: "x", tags: ["y"] };
  t.strictSame(getInput(resolveImage(request, makeAsk(image), sources)), {
    fields: {
      output_format: "jpeg",
      aspect_ratio: "16:9",
      resolution: "1k",
      prompt: "a kite",
      num_images: 1,
      width: 1024,
      height: 576,
    },
    assets: {},
  });
});

t.test("what the client gave is there too, with its assets by name", async (t) => {
  const request = {
    model: "plain",
    prompt: "a kite",
    negative_prompt: "rain",
    seed: 0,
    num_images: 2,
    width: 512,
    height: 256,
    provider_options: { steps: 4 },
    background: "opaque" as const,
    reference_asset_ids: [ids.picture],
    mask_asset_id: ids.mask,
  };
  t.strictSame(getInput(resolveImage(request, makeAsk(image), sources)), {
    fields: {
      output_format: "jpeg",
      prompt: "a kite",
      negative_prompt: "rain",
      seed: 0,
      num_images: 2,
      width: 512,
      height: 256,
      provider_options: { steps: 4 },
      background: "opaque",
    },
    assets: { reference: [source(ids.picture)], mask: source(ids.mask) },
  });
});

t.test("a prompt that was rewritten is the one that the provider gets", async (t) => {
  const request = { model: "plain", prompt: "a kite", enhance_prompt: true };
  const found = resolveImage(request, makeAsk(image), sources);
  t.match(found, { prompt: "a kite", enhancedPrompt: /a kite, / });
  const prompt = "enhancedPrompt" in found ? found.enhancedPrompt : undefined;
  t.match(getInput(found), { fields: { prompt } });
  t.notMatch(getInput(found), { fields: { enhance_prompt: true } });
});

t.test("the simulated and the farm's models get what they got before", async (t) => {
  const request = { model: "plain", prompt: "a kite" };
  const found = getInput(resolveImage(request, makeAsk({ ...image, provider: "sim" }), sources));
  t.strictSame(found, { seed: 0, width: 1024, height: 576, count: 1, format: "png" });
});

t.test("a video's fields and frames", async (t) => {
  const model = remote("video", {
    defaults: { duration_seconds: 5, audio: true },
    limits: { "video.duration_seconds": { min: 1, max: 10 } },
  });
  const request = {
    model: "plain",
    prompt: "a kite",
    first_frame_asset_id: ids.picture,
    last_frame_asset_id: ids.mask,
    source_video_asset_id: ids.film,
  };
  t.strictSame(getInput(resolveVideo(request, makeAsk(model), sources)), {
    fields: {
      duration_seconds: 5,
      seconds: 5,
      audio: true,
      prompt: "a kite",
      width: 1280,
      height: 720,
    },
    assets: {
      first_frame: source(ids.picture),
      last_frame: source(ids.mask),
      source_video: source(ids.film),
    },
  });
});

t.test("speech has its text, voice and direction, and no duration", async (t) => {
  const model = remote("audio", {
    defaults: { duration_seconds: 5 },
    options: { tasks: ["speech", "music"], voice: ["ada", "bo"] },
  });
  const request = {
    model: "plain",
    text: " Hello ",
    prompt: "calm",
    reference_asset_id: ids.voice,
    language: "de",
    seed: 3,
  };
  t.strictSame(getInput(resolveAudio(request, makeAsk(model), sources)), {
    fields: {
      output_format: "mp3",
      speed: 1,
      text: "Hello",
      prompt: "calm",
      language: "de",
      seed: 3,
      task: "speech",
      voice: "ada",
    },
    assets: { reference: source(ids.voice) },
  });
});

t.test("music has its prompt and duration, and no voice", async (t) => {
  const model = remote("audio", {
    defaults: { voice: "ada", speed: 1 },
    options: { tasks: ["speech", "music"] },
  });
  const request = { model: "plain", task: "music" as const, prompt: "a waltz", lyrics: "la" };
  t.strictSame(getInput(resolveAudio(request, makeAsk(model), sources)), {
    fields: {
      output_format: "mp3",
      prompt: "a waltz",
      lyrics: "la",
      task: "music",
      duration_seconds: 30,
      seconds: 30,
    },
    assets: {},
  });
});

t.test("a 3D model's photos are in a list", async (t) => {
  const model = remote("three_d", { limits: { "three_d.images_max": 2 } });
  const request = { model: "plain", image_asset_ids: [ids.picture, ids.mask] };
  t.strictSame(getInput(resolve3D(request, makeAsk(model), sources)), {
    fields: { texture: true, output_format: "glb" },
    assets: { image: [source(ids.picture), source(ids.mask)] },
  });
});

t.test("background removal and restoration have their source", async (t) => {
  const removal = remote("video", {
    operations: ["background_removal"],
    options: { output_format: ["webm"] },
  });
  const restoration = remote("video", { operations: ["restoration"] });
  const request = { model: "plain", source_asset_id: ids.film };
  const assets = { source: source(ids.film) };
  t.strictSame(getInput(resolveBackgroundRemoval(request, makeAsk(removal), sources)), {
    fields: { background: "transparent", output_format: "webm" },
    assets,
  });
  t.strictSame(getInput(resolveRestoration(request, makeAsk(restoration), sources)), {
    fields: { denoise: 0.3, sharpen: 0, width: 1280, height: 720, scale: 2 },
    assets,
  });
});

t.test("a preview model takes any shape; one that is no ratio is sized as a square", async (t) => {
  const model: ModelEntry = { ...image, status: "preview" };
  const request = { model: "plain", prompt: "a kite", aspect_ratio: "circle" };
  t.match(getInput(resolveImage(request, makeAsk(model), sources)), {
    fields: { aspect_ratio: "circle", width: 1024, height: 1024 },
  });
});
