import { join } from "node:path";
import { limits } from "../../config/limits.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { inputOf, type MediaTools } from "../media-tools.ts";
import { describe, type Recording } from "../recordings.ts";
import { fetchSource, type LocalFile, type Source } from "../workspace.ts";

/** The videos and sounds of a film, each copied into the task's folder and looked at once. */
export interface MediaFile {
  readonly file: LocalFile;
  readonly recording: Recording;
  /** Of its sound; 0 when it has none. */
  readonly channels: number;
  /** Videos only. */
  readonly look: Look | undefined;
}

export interface Look {
  readonly hasAlpha: boolean;
  /** Arguments before the input. */
  readonly decoder: readonly string[];
  /** How its colours are coded, for ffmpeg's scaler. */
  readonly matrix: "bt601" | "bt709" | "bt2020";
  readonly isHdr: boolean;
}

const Probed = Type.Object({
  streams: Type.Array(
    Type.Object({
      codec_type: Type.Optional(Type.String()),
      channels: Type.Optional(Type.Number()),
      codec_name: Type.Optional(Type.String()),
      pix_fmt: Type.Optional(Type.String()),
      height: Type.Optional(Type.Number()),
      color_space: Type.Optional(Type.String()),
      color_transfer: Type.Optional(Type.String()),
      tags: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
});
const isProbed = check<Static<typeof Probed>>(Probed);
type Stream = Static<typeof Probed>["streams"][number];

export class MediaFiles {
  readonly #tools: MediaTools;
  readonly #objects: Objects;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #filesByKey = new Map<string, Promise<MediaFile>>();
  readonly #secondsByKey = new Map<string, number>();

  constructor(tools: MediaTools, objects: Objects, folder: string, signal: AbortSignal) {
    this.#tools = tools;
    this.#objects = objects;
    this.#folder = folder;
    this.#signal = signal;
  }

  /** Throws `PortError` for what is no video or sound. */
  get(source: Source): Promise<MediaFile> {
    const known = this.#filesByKey.get(source.objectKey);
    if (known !== undefined) return known;
    const opening = this.#open(source, join(this.#folder, `media-${this.#filesByKey.size}`));
    this.#filesByKey.set(source.objectKey, opening);
    return opening;
  }

  /** Of those that were opened. */
  secondsOf({ objectKey }: Source): number | undefined {
    return this.#secondsByKey.get(objectKey);
  }

  async #open(source: Source, path: string): Promise<MediaFile> {
    const file = await fetchSource(this.#objects, source, path, this.#signal);
    if (!/^(video|audio)\//.test(file.mimeType))
      throw new PortError("is neither a video nor sound", false);
    const [recording, streams] = await Promise.all([
      describe(this.#tools, file, this.#signal),
      this.#streams(file),
    ]);
    this.#secondsByKey.set(source.objectKey, recording.durationSeconds);
    const sound = streams.find(({ codec_type: type }) => type === "audio");
    const picture = streams.find(({ codec_type: type }) => type === "video");
    const look = recording.picture === undefined ? undefined : lookOf(picture ?? {});
    return { file, recording, look, channels: sound?.channels ?? 0 };
  }

  async #streams({ path, mimeType }: LocalFile): Promise<readonly Stream[]> {
    const asked = ["-show_streams", ...inputOf(path, mimeType)];
    const text = await this.#tools.ffprobe(asked, {
      signal: this.#signal,
      fault: "cannot be decoded",
    });
    const probed: unknown = JSON.parse(text.toString("utf8"));
    return isProbed(probed) ? probed.streams : [];
  }
}

function lookOf(stream: Stream): Look {
  const { codec_name: codec, pix_fmt: format = "", color_space: space = "" } = stream;
  const tags = Object.entries(stream.tags ?? {});
  const isTagged = tags.some(([name, value]) => /^alpha_mode$/i.test(name) && value === "1");
  const hasAlpha = isTagged || /^(yuva|rgba|argb|bgra|abgr|gbrap|ya|pal8)/.test(format);
  const vpx = codec === "vp9" ? "libvpx-vp9" : "libvpx";
  const isVpx = isTagged && (codec === "vp9" || codec === "vp8");
  return {
    hasAlpha,
    decoder: isVpx ? ["-c:v", vpx] : [],
    matrix: matrixOf(space, stream.height ?? 0),
    isHdr: /^(smpte2084|arib-std-b67)$/.test(stream.color_transfer ?? ""),
  };
}

/** Files that do not say are taken as players take them. */
function matrixOf(space: string, height: number): Look["matrix"] {
  if (space.startsWith("bt2020")) return "bt2020";
  if (space === "bt709") return "bt709";
  if (/^(smpte170m|bt470bg)$/.test(space)) return "bt601";
  return height >= 720 ? "bt709" : "bt601";
}

/** The tools' arguments that open a media file. */
export function mediaInput({ file, look }: MediaFile, before: readonly string[] = []): string[] {
  return inputOf(file.path, file.mimeType, [...(look?.decoder ?? []), ...before]);
}

/** Wall time of one pass over a film's media. */
export const passMs = limits.farm.renderTaskMs;
