/**
 * The generations that the command line offers, with their options and the request fields they set.
 * Field names have underscores where options have hyphens.
 */

import type { Generation } from "../clients/typescript/src/generate.ts";
import type { CostKind } from "../contract/cost.ts";

/** A picture, video or sound: a local file, which is uploaded, or the id of an asset. */
export interface FileOption {
  readonly field: string;
  readonly help: string;
  /** Whether the option may be given several times. */
  readonly isList?: true;
}

export interface Medium {
  /** Words after `klieg` that select the command. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly makes: Generation;
  readonly cost: CostKind;
  /** The arguments before the options: a text, or files. */
  readonly subject:
    | { readonly kind: "text"; readonly field: string; readonly what: string }
    | ({ readonly kind: "files"; readonly what: string } & Pick<FileOption, "field" | "isList">);
  /** Fields that every request of the medium has. */
  readonly fixed?: object;
  /** Options by how they are sent: as text, as whole numbers, as numbers, as true. */
  readonly texts: Readonly<Record<string, string>>;
  readonly numbers?: Readonly<Record<string, string>>;
  readonly decimals?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, FileOption>>;
  /** `output_format` by the output's extension; undefined lets the service choose. */
  readonly formats: Readonly<Record<string, string | undefined>>;
}

const model = { model: "catalogue id or alias" };
const seed = { seed: "the same seed and words give the same result" };
const prompt = { kind: "text", field: "prompt", what: "the prompt" } as const;
const negative = { "negative-prompt": "what must not appear" };
const enhance = { "enhance-prompt": "let the service expand the prompt first" };
const soundFormats = { ".mp3": undefined, ".wav": "wav", ".flac": "flac", ".ogg": "ogg" };

export const media: readonly Medium[] = [
  {
    name: "generate image",
    usage: '"<prompt>" [options]',
    summary: "Make a picture and save it.",
    makes: "image",
    cost: "image",
    subject: prompt,
    fixed: { model: "default" },
    texts: {
      ...model,
      ...negative,
      "aspect-ratio": "for example 1:1, 16:9, 9:16",
      resolution: "for example 1k, 2k",
      quality: "one of the model's tiers",
      background: "opaque, transparent or auto",
    },
    numbers: { "num-images": "several become FILE-1, FILE-2 ...", ...seed },
    flags: enhance,
    files: {
      reference: { field: "reference_asset_ids", help: "a picture to go by", isList: true },
      mask: { field: "mask_asset_id", help: "where the one reference is repainted" },
    },
    formats: { ".png": undefined, ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp" },
  },
  {
    name: "generate video",
    usage: '"<prompt>" [options]',
    summary: "Make a video and save it.",
    makes: "video",
    cost: "video",
    subject: prompt,
    fixed: { model: "default" },
    texts: {
      ...model,
      ...negative,
      "aspect-ratio": "for example 16:9, 9:16",
      resolution: "for example 480p, 720p, 1080p",
      quality: "one of the model's tiers",
      "camera-motion": "one of the model's list",
    },
    numbers: { "duration-seconds": "length", fps: "frames a second", ...seed },
    flags: { audio: "with sound", ...enhance },
    files: {
      "first-frame": { field: "first_frame_asset_id", help: "the picture that it starts with" },
      "last-frame": { field: "last_frame_asset_id", help: "the picture that it ends with" },
      reference: { field: "reference_asset_ids", help: "a picture to go by", isList: true },
      "source-video": { field: "source_video_asset_id", help: "a video to make it from" },
    },
    formats: { ".mp4": undefined },
  },
  {
    name: "generate speech",
    usage: '"<text>" [options]',
    summary: "Make speech and save it.",
    makes: "audio",
    cost: "audio",
    subject: { kind: "text", field: "text", what: "the text" },
    fixed: { model: "studio-voice", task: "speech" },
    texts: {
      ...model,
      voice: "one of the model's voices",
      language: "for example en, de",
      prompt: "how to speak it",
    },
    numbers: seed,
    decimals: { speed: "0.5 to 2" },
    formats: soundFormats,
  },
  {
    name: "generate music",
    usage: '"<prompt>" [options]',
    summary: "Make music and save it.",
    makes: "audio",
    cost: "audio",
    subject: prompt,
    fixed: { model: "studio-music", task: "music" },
    texts: { ...model, lyrics: "what is sung" },
    numbers: { "duration-seconds": "length", ...seed },
    formats: soundFormats,
  },
  {
    name: "generate sound",
    usage: '"<prompt>" [options]',
    summary: "Make a sound effect and save it.",
    makes: "audio",
    cost: "audio",
    subject: prompt,
    fixed: { model: "studio-sound", task: "sound_effect" },
    texts: model,
    numbers: { "duration-seconds": "length", ...seed },
    formats: soundFormats,
  },
  {
    name: "generate 3d",
    usage: "<photo> [<photo> ...] [options]",
    summary: "Make a 3D model from photos and save it.",
    makes: "threeD",
    cost: "three_d",
    subject: { kind: "files", field: "image_asset_ids", what: "a photo", isList: true },
    fixed: { model: "default" },
    texts: { ...model, prompt: "what it is" },
    numbers: { "target-polycount": "about how many triangles", ...seed },
    formats: { ".glb": undefined, ".gltf": "gltf" },
  },
  {
    name: "remove-background",
    usage: "<video> [options]",
    summary: "Remove the background of a video and save it.",
    makes: "removeBackground",
    cost: "video_background_removal",
    subject: { kind: "files", field: "source_asset_id", what: "the video" },
    texts: {
      ...model,
      background: "transparent or color",
      "background-color": "for example #00ff00, with --background color",
    },
    formats: { ".webm": "webm", ".mov": "mov", ".mp4": "mp4" },
  },
  {
    name: "restore",
    usage: "<video> [options]",
    summary: "Restore a video, enlarge it, and save it.",
    makes: "restoreVideo",
    cost: "video_restoration",
    subject: { kind: "files", field: "source_asset_id", what: "the video" },
    texts: { ...model, "target-resolution": "720p, 1080p, 1440p or 4k" },
    numbers: { scale: "1, 2 or 4", "target-fps": "24 to 120" },
    decimals: { denoise: "0 to 1", sharpen: "0 to 1" },
    formats: { ".mp4": undefined },
  },
];
