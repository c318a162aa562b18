import { limits } from "../../config/limits.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { LocalFile } from "../node/workspace.ts";
import { getInput, type MediaTools } from "../programs/media-tools.ts";

/** Inspects videos and sounds: their streams, and the thumbnails that represent them. */
export interface Recording {
  readonly mimeType: string;
  readonly durationSeconds: number;
  readonly hasAudio: boolean;
  readonly audioCodec: string | undefined;
  /** The video stream; undefined for a file with sound only. */
  readonly picture: MovingPicture | undefined;
}

export interface MovingPicture {
  /** Size as displayed, after the rotation that the file asks for. */
  readonly width: number;
  readonly height: number;
  readonly frameRate: number;
  readonly codec: string;
}

const Stream = Type.Object({
  codec_type: Type.Optional(Type.String()),
  codec_name: Type.Optional(Type.String()),
  width: Type.Optional(Type.Number()),
  height: Type.Optional(Type.Number()),
  channels: Type.Optional(Type.Number()),
  pix_fmt: Type.Optional(Type.String()),
  color_range: Type.Optional(Type.String()),
  color_space: Type.Optional(Type.String()),
  color_transfer: Type.Optional(Type.String()),
  time_base: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  avg_frame_rate: Type.Optional(Type.String()),
  r_frame_rate: Type.Optional(Type.String()),
  duration: Type.Optional(Type.String()),
  disposition: Type.Optional(Type.Object({ attached_pic: Type.Optional(Type.Number()) })),
  side_data_list: Type.Optional(
    Type.Array(Type.Object({ rotation: Type.Optional(Type.Number()) })),
  ),
});
/** A stream as ffprobe describes it. */
export type Stream = Static<typeof Stream>;
const Probed = Type.Object({
  streams: Type.Array(Stream),
  format: Type.Object({
    duration: Type.Optional(Type.String()),
    start_time: Type.Optional(Type.String()),
  }),
});
const isProbed = check<Static<typeof Probed>>(Probed);
const Packets = Type.Object({
  packets: Type.Array(
    Type.Object({
      pts_time: Type.Optional(Type.String()),
      duration_time: Type.Optional(Type.String()),
    }),
  ),
});
const isPackets = check<Static<typeof Packets>>(Packets);

type Found = Pick<LocalFile, "path" | "mimeType">;

const damaged = "The recording cannot be decoded; it is damaged or uses an unknown codec.";

/** Reads the headers, then decodes the beginning. Throws `PortError` when either fails. */
export async function inspectRecording(
  tools: MediaTools,
  file: Found,
  signal: AbortSignal,
): Promise<Recording> {
  const recording = await describe(tools, file, signal);
  const seconds = ["-t", `${limits.media.decodedSeconds}`];
  const decode = [...getInput(file.path, file.mimeType, ["-xerror"]), ...seconds];
  const wanted = recording.picture ? ["-map", "0:v:0", "-map", "0:a:0?"] : ["-map", "0:a:0"];
  await tools.ffmpeg([...decode, ...wanted, "-f", "null", "-"], { signal, fault: damaged });
  return recording;
}

/** Like `inspectRecording` without decoding, for a file that this farm made itself. */
export async function describe(
  tools: MediaTools,
  file: Found,
  signal: AbortSignal,
): Promise<Recording> {
  return (await lookInto(tools, file, signal)).recording;
}

export interface Looked {
  readonly recording: Recording;
  /** Time at which the earliest stream begins. */
  readonly startSeconds: number;
  /** The streams as ffprobe reports them. */
  readonly streams: readonly Stream[];
}

/** Returns the recording's description together with its streams. */
export async function lookInto(
  tools: MediaTools,
  { path, mimeType }: Found,
  signal: AbortSignal,
): Promise<Looked> {
  const asked = ["-show_streams", "-show_format", ...getInput(path, mimeType)];
  const probed = parse(await tools.ffprobe(asked, { signal, fault: damaged }));
  if (!isProbed(probed)) throw new PortError(damaged, false);
  const { streams, format } = probed;
  const video = streams.find(
    ({ codec_type, disposition }) => codec_type === "video" && disposition?.attached_pic !== 1,
  );
  const audio = streams.find(({ codec_type }) => codec_type === "audio");
  const isSound = mimeType.startsWith("audio/") || video === undefined;
  if (isSound && audio === undefined)
    throw new PortError("The file contains neither a picture nor sound.", false);
  const picture = isSound || video === undefined ? undefined : getPicture(video);
  const told = Number(format.duration ?? (video ?? audio)?.duration);
  const durationSeconds =
    told > 0 ? told : await lastPacketEnd(tools, { path, mimeType }, picture ? "v" : "a", signal);
  if (durationSeconds > limits.media.secondsMax)
    throw new PortError("The recording is too long.", false);
  const recording = {
    mimeType: isSound
      ? mimeType.replace("video/quicktime", "video/mp4").replace("video/", "audio/")
      : mimeType,
    durationSeconds: Math.round(durationSeconds * 1_000) / 1_000,
    hasAudio: audio !== undefined,
    audioCodec: audio?.codec_name,
    picture,
  };
  return { recording, streams, startSeconds: Number(format.start_time ?? 0) };
}

function getPicture(stream: Stream): MovingPicture {
  const { width = 0, height = 0, codec_name: codec = "", side_data_list: sides = [] } = stream;
  const turn = sides.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0;
  const isSideways = Math.abs(turn) % 180 === 90;
  const rates = [stream.avg_frame_rate, stream.r_frame_rate].map(ratio);
  const frameRate = rates.find((rate) => rate > 0) ?? 0;
  const { edgeMax, pixelsMax } = limits.media;
  const isFit = width > 0 && height > 0 && width <= edgeMax && height <= edgeMax;
  if (!isFit || width * height > pixelsMax)
    throw new PortError("The video's frames are too large.", false);
  return {
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    frameRate: Math.round(frameRate * 1_000) / 1_000,
    codec,
  };
}

/** Returns when the last packet ends, for streamed recordings that do not state their duration. */
async function lastPacketEnd(
  tools: MediaTools,
  { path, mimeType }: Found,
  kind: "v" | "a",
  signal: AbortSignal,
): Promise<number> {
  const entries = ["-show_entries", "packet=pts_time,duration_time"];
  const asked = ["-select_streams", `${kind}:0`, ...entries, ...getInput(path, mimeType)];
  const found = parse(await tools.ffprobe(asked, { signal, fault: damaged }));
  const ends = isPackets(found)
    ? found.packets.map(({ pts_time, duration_time = 0 }) => Number(pts_time) + +duration_time)
    : [];
  const last = ends.filter((end) => end > 0).reduce((latest, end) => Math.max(latest, end), 0);
  if (last === 0) throw new PortError(damaged, false);
  return last;
}

/** Value of a fraction written `a/b`; 0 where there is none. */
export function ratio(text: string | undefined): number {
  const [over = 0, under = 0] = (text ?? "").split("/").map(Number);
  return under === 0 ? 0 : over / under;
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString("utf8"));
  } catch (failure) {
    throw new PortError(damaged, false, failure);
  }
}

/** Returns a JPEG of the frame at the given time, with a long edge of at most 512 pixels. */
export async function frameThumbnail(
  tools: MediaTools,
  { path, mimeType }: Found,
  atSeconds: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const edge = limits.media.thumbnailEdge;
  const fit = `scale='min(${edge},iw)':'min(${edge},ih)':force_original_aspect_ratio=decrease`;
  const picture = ["-map", "0:v:0", "-frames:v", "1", "-vf", `${fit},format=yuvj420p`];
  const encoded = [...picture, "-q:v", "3", "-f", "mjpeg", "-"];
  const call = { signal, fault: damaged };
  const early = ["-ss", atSeconds.toFixed(3)];
  const frame = await tools.ffmpeg([...getInput(path, mimeType, early), ...encoded], call);
  if (frame.length > 0) return frame;
  // In a short file the last frame may begin earlier than the requested time.
  const first = await tools.ffmpeg([...getInput(path, mimeType), ...encoded], call);
  if (first.length === 0) throw new PortError(damaged, false);
  return first;
}

/** Draws the waveform of a sound as a transparent PNG of 512x128 pixels. */
export async function waveThumbnail(
  tools: MediaTools,
  { path, mimeType }: Found,
  signal: AbortSignal,
): Promise<Buffer> {
  const wave = "aformat=channel_layouts=mono,showwavespic=s=512x128:colors=#5b8def:scale=sqrt";
  const drawn = ["-filter_complex", `[0:a:0]${wave}[w]`, "-map", "[w]", "-frames:v", "1"];
  const encoded = ["-c:v", "png", "-f", "image2pipe", "-"];
  return tools.ffmpeg([...getInput(path, mimeType), ...drawn, ...encoded], {
    signal,
    fault: damaged,
  });
}
