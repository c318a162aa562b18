import { limits } from "../../../config/limits.ts";
import { type Clip, frameFrom } from "../../../timeline/model.ts";
import { type MediaFile, mediaInput } from "../inputs/media-files.ts";
import type { Warnings } from "../render-error.ts";

/** ffmpeg's arguments for decoding a film's video, so that each frame shows the right picture. */
export interface ShownVideo {
  readonly clip: Clip;
  readonly media: MediaFile;
  /** Path of a .cube file that changes the video's colours. */
  readonly cubePath: string | undefined;
}

/** Properties of a video's pictures. */
export interface VideoLook {
  /** Size of the visible picture. */
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
}

/** Frames `[first, end)` of the film, all within the clip. */
export interface Span {
  readonly first: number;
  readonly end: number;
  readonly fps: number;
}

export function getName({ clip }: ShownVideo): string {
  return clip.id === "" ? "a video" : `video#${clip.id}`;
}

/** Warns that the last frame is held, unless the clip asks for it. */
export function warnOfShortSource(video: ShownVideo, warnings: Warnings): void {
  const { clip, media } = video;
  const seconds = media.recording.durationSeconds;
  if (clip.media?.end !== undefined && clip.media.end <= seconds + hair) return;
  warnings.add(
    `${getName(video)}: its source of ${seconds} s is shorter than its slot; the last frame is held`,
  );
}

/** Time in seconds at which the source ends or the clip ends it. */
export function sourceEnd({ clip, media }: Pick<ShownVideo, "clip" | "media">): number {
  return Math.min(media.recording.durationSeconds, clip.media?.end ?? Number.POSITIVE_INFINITY);
}

/**
 * Time of the source in seconds at the span's first frame. A looped source continues after its end
 * where it was entered (HyperFrames' meaning of `loop` beside `data-media-start`).
 */
export function sourceTime(video: ShownVideo, span: Span): number {
  const { start, played, round } = getPlayedTime(video, span);
  return start + (round === undefined ? played : Math.max(0, ((played + hair) % round) - hair));
}

/** First frame after the start of the span that shows the next round of a looped source. */
export function roundEnd(video: ShownVideo, span: Span): number {
  const { played, round } = getPlayedTime(video, span);
  if (round === undefined) return span.end;
  const { clip } = video;
  const rounds = Math.floor((played + hair) / round) + 1;
  const next = frameFrom(clip.start + (rounds * round) / (clip.media?.rate ?? 1), span.fps);
  return Math.min(span.end, Math.max(span.first + 1, next));
}

/** Seconds of the source played since the clip began, and the length of one round. */
function getPlayedTime(video: ShownVideo, { first, fps }: Span) {
  const { clip } = video;
  const { start = 0, rate = 1, isLooped = false } = clip.media ?? {};
  const round = sourceEnd(video) - start;
  const played = (first / fps - clip.start) * rate;
  return { start, played, round: isLooped && round > 0 ? round : undefined };
}

/** Tolerance in seconds for sums of times. */
const hair = 1e-6;

/** One thread per input: several are decoded in parallel, and each thread holds pictures. */
export const oneThread = ["-threads", "1"];

/** Arguments that open the source a little before the span. */
export function videoInput(video: ShownVideo, span: Span): readonly string[] {
  const seek = seekTime(video, span);
  return mediaInput(video.media, seek > 0 ? listEntry(seek) : []);
}

/** Keeps all pictures from the key frame on, because the one shown may be long before `seconds`. */
export function listEntry(seconds: number): readonly string[] {
  return ["-noaccurate_seek", "-ss", seconds.toFixed(6)];
}

/** Filters from the source to one picture a frame, in planes of BT.709. */
export function videoFilters(
  video: ShownVideo,
  span: Span,
  size: { readonly width: number; readonly height: number },
): readonly string[] {
  const ahead = (sourceTime(video, span) - seekTime(video, span)).toFixed(6);
  // Picture times count slightly early, so that rounding cannot make one a frame late.
  const when = `setpts=(PTS*TB-${ahead})/${video.clip.media?.rate ?? 1}/TB-0.0005/TB`;
  const rate = `fps=fps=${span.fps}:round=up:start_time=0`;
  // Uses a fine time base, because one tick of the source's own may be as long as a frame.
  return [
    "settb=AVTB",
    ...cutAt(video, seekTime(video, span)),
    when,
    rate,
    ...videoColors(video, size),
  ];
}

/** Filters that drop all pictures after the clip's end of the source; times then begin at 0. */
export function cutAt({ clip }: ShownVideo, openedAt: number): readonly string[] {
  const end = clip.media?.end;
  return end === undefined ? [] : [`trim=end=${Math.max(0, end - openedAt - cutHair).toFixed(6)}`];
}

/** Tolerance in seconds; a picture that begins at the end is dropped, whatever its time base. */
const cutHair = 0.0005;

/**
 * Seeks earlier by as much as decoding may reorder: files index key frames by decoding time, and a
 * key frame that is shown later than wanted would be too late.
 */
function seekTime(video: ShownVideo, span: Span): number {
  const { recording, look } = video.media;
  const lead = Math.max(leadSeconds, reorderedMax / (recording.picture?.frameRate || 1));
  const seconds = Math.max(0, sourceTime(video, span) - lead);
  // ffmpeg subtracts this from each picture's time in whole ticks.
  const tick = look?.tick || 1e-6;
  return Math.floor(seconds / tick) * tick;
}

const leadSeconds = 0.5;
/** Bound in pictures; encoders reorder at most four, and usually two. */
const reorderedMax = 8;

/** Size at which the page gets a video: its own, unless that is larger than any film. */
export function chooseLook({ media }: ShownVideo): VideoLook {
  const { width, height } = media.recording.picture ?? { width: 2, height: 2 };
  const factor = Math.min(1, limits.capture.stillWidthMax / Math.max(width, height));
  const scale = (edge: number): number => Math.max(1, Math.round(edge * factor));
  return {
    width: scale(width),
    height: scale(height),
    hasAlpha: media.look?.hasAlpha === true,
  };
}

/** Converts to BT.709 in limited range, whatever the source has. */
export function videoColors(
  { media, cubePath }: ShownVideo,
  { width, height }: { readonly width: number; readonly height: number },
): readonly string[] {
  const hasAlpha = media.look?.hasAlpha === true;
  const from = `in_color_matrix=${media.look?.matrix ?? "bt709"}`;
  const into = "out_color_matrix=bt709:out_range=limited:flags=accurate_rnd+bilinear";
  const fit = `scale=w=${width}:h=${height}`;
  const grade = cubePath === undefined ? [] : [`${fit}:${from}`, "format=rgba", lut(cubePath)];
  const converted = grade.length > 0 ? `scale=${into}` : `${fit}:${from}:${into}`;
  const format = `format=${hasAlpha ? "yuva420p" : "yuv420p"}`;
  const isOdd = width % 2 === 1 || height % 2 === 1;
  const even = isOdd ? ["pad=w=ceil(iw/2)*2:h=ceil(ih/2)*2"] : [];
  return [...grade, converted, format, ...even];
}

function lut(path: string): string {
  return `lut3d=file=${path}:interp=tetrahedral`;
}
