import { join } from "node:path";
import { limits } from "../../../config/limits.ts";
import type { Objects } from "../../../engine/ports/objects.ts";
import { PortError } from "../../../engine/ports/port-error.ts";
import { type Recording, ratio, type Stream } from "../../media/recordings.ts";
import { fetchSource, type LocalFile, type Source } from "../../node/workspace.ts";
import { getInput, type MediaTools } from "../../programs/media-tools.ts";
import type { KnownMedia } from "./known-media.ts";

/** The videos and sounds of a film, each copied into the task's folder and looked at once. */
export interface MediaFile {
  readonly file: LocalFile;
  readonly recording: Recording;
  /** Number of sound channels; 0 when there is no sound. */
  readonly channels: number;
  /** Properties of the picture; only for videos. */
  readonly look: Look | undefined;
}

export interface Look {
  readonly hasAlpha: boolean;
  /** Arguments for ffmpeg that go before the input. */
  readonly decoder: readonly string[];
  /** Colour matrix of the video, for ffmpeg's scaler. */
  readonly matrix: "bt601" | "bt709" | "bt2020";
  readonly isHdr: boolean;
  /** Time base in seconds, of which all picture times are whole multiples. */
  readonly tick: number;
  /** Whether planes can be used as they are: BT.709 in limited range, with a start at zero. */
  readonly isPlain: boolean;
}

interface Tools {
  readonly known: KnownMedia;
  readonly media: MediaTools;
}

export class MediaFiles {
  private readonly tools: Tools;
  private readonly objects: Objects;
  private readonly folder: string;
  private readonly signal: AbortSignal;
  private readonly filesByKey = new Map<string, Promise<MediaFile>>();
  private readonly secondsByKey = new Map<string, number>();

  constructor(tools: Tools, objects: Objects, folder: string, signal: AbortSignal) {
    this.tools = tools;
    this.objects = objects;
    this.folder = folder;
    this.signal = signal;
  }

  /** Opens a source. Throws `PortError` when it is neither a video nor a sound. */
  get(source: Source): Promise<MediaFile> {
    const known = this.filesByKey.get(source.objectKey);
    if (known !== undefined) return known;
    const opening = this.open(source, join(this.folder, `media-${this.filesByKey.size}`));
    this.filesByKey.set(source.objectKey, opening);
    return opening;
  }

  /** Duration of a source in seconds, known once the source was opened. */
  getSeconds({ objectKey }: Source): number | undefined {
    return this.secondsByKey.get(objectKey);
  }

  private async open(source: Source, path: string): Promise<MediaFile> {
    const { known, media } = this.tools;
    const file = await fetchSource(this.objects, source, path, this.signal);
    if (!/^(video|audio)\//.test(file.mimeType))
      throw new PortError("is neither a video nor sound", false);
    const { recording, streams, startSeconds } = await known.look(media, file, this.signal);
    this.secondsByKey.set(source.objectKey, recording.durationSeconds);
    const sound = streams.find(({ codec_type: type }) => type === "audio");
    const picture = streams.find(({ codec_type: type }) => type === "video");
    const look =
      recording.picture === undefined ? undefined : chooseLook(picture ?? {}, startSeconds);
    return { file, recording, look, channels: sound?.channels ?? 0 };
  }
}

function chooseLook(stream: Stream, startSeconds: number): Look {
  const { codec_name: codec, pix_fmt: format = "", color_space: space = "" } = stream;
  const { color_range: range = "tv", side_data_list: sides = [] } = stream;
  const tags = Object.entries(stream.tags ?? {});
  const isTagged = tags.some(([name, value]) => /^alpha_mode$/i.test(name) && value === "1");
  const hasAlpha = isTagged || /^(yuva|rgba|argb|bgra|abgr|gbrap|ya|pal8)/.test(format);
  const vpx = codec === "vp9" ? "libvpx-vp9" : "libvpx";
  const isVpx = isTagged && (codec === "vp9" || codec === "vp8");
  const matrix = chooseMatrix(space, stream.height ?? 0);
  const isUpright = sides.every(({ rotation = 0 }) => rotation === 0);
  const isOfFilms = format === "yuv420p" && matrix === "bt709" && range === "tv";
  return {
    hasAlpha,
    decoder: isVpx ? ["-c:v", vpx] : [],
    matrix,
    isHdr: /^(smpte2084|arib-std-b67)$/.test(stream.color_transfer ?? ""),
    tick: ratio(stream.time_base),
    isPlain: isOfFilms && isUpright && !isTagged && startSeconds === 0,
  };
}

/** For files without a colour matrix, chooses the one that players assume. */
function chooseMatrix(space: string, height: number): Look["matrix"] {
  if (space.startsWith("bt2020")) return "bt2020";
  if (space === "bt709") return "bt709";
  if (/^(smpte170m|bt470bg)$/.test(space)) return "bt601";
  return height >= 720 ? "bt709" : "bt601";
}

/** The tools' arguments that open a media file. */
export function mediaInput({ file, look }: MediaFile, before: readonly string[] = []): string[] {
  return getInput(file.path, file.mimeType, [...(look?.decoder ?? []), ...before]);
}

/** Wall time in milliseconds for one pass over a film's media. */
export const passMs = limits.farm.renderTaskMs;
