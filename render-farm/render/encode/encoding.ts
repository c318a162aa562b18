import type { Quality } from "../render-input.ts";

/** Encoding parameters for each quality; the contract says what a client may expect of them. */
export type FrameFormat = {
  readonly width: number;
  readonly height: number;
} & PictureFormat;

type PictureFormat =
  | { readonly codec: "mjpeg"; readonly quality: number }
  | { readonly codec: "png" }
  /** I420 of BT.709 in limited range. */
  | { readonly codec: "planes" };

/** Formats of the compositor's pictures for each quality. */
export const compositorFormats: Readonly<
  Record<Quality, Exclude<PictureFormat, { codec: "planes" }>>
> = {
  fast: { codec: "mjpeg", quality: 88 },
  standard: { codec: "mjpeg", quality: 95 },
  high: { codec: "png" },
};

const presets: Readonly<Record<Quality, readonly string[]>> = {
  // The 8x8 transform makes it High profile; its entropy coder stays off, as it is too slow.
  fast: ["-preset", "ultrafast", "-crf", "24", "-x264opts", "8x8dct=1"],
  // A lookahead of twelve frames with macroblock-tree rate control, which gives more bits to what
  // stays visible, saves a third of the bytes of moving photos at equal quality and costs no time.
  // The preset leaves it out by default.
  standard: [
    ...["-preset", "superfast", "-crf", "17", "-bf", "3"],
    ...["-x264opts", "rc-lookahead=12:mbtree=1"],
  ],
  high: ["-preset", "medium", "-crf", "16"],
};

/** JPEG frames are BT.601 in full range; the output is BT.709 in limited range. */
const fromJpeg = [
  "colorspace=ispace=bt470bg:iprimaries=bt709:itrc=bt709:irange=pc",
  "space=bt709:primaries=bt709:trc=bt709:range=tv:format=yuv420p",
].join(":");

/** The same conversion for every chroma subsampling, and for RGB, at ten times the cost. */
function getScaleFilter(codec: FrameFormat["codec"]): string {
  const from = codec === "mjpeg" ? "in_color_matrix=bt601:in_range=full:" : "";
  return `scale=${from}out_color_matrix=bt709:out_range=limited:flags=accurate_rnd+bilinear`;
}

const tags = [
  ...["-color_range", "tv", "-colorspace", "bt709"],
  ...["-color_primaries", "bt709", "-color_trc", "bt709"],
];
/** Makes the output deterministic: the same input gives the same bytes. */
export const exact = ["-fflags", "+bitexact", "-flags", "+bitexact"];

/**
 * Returns ffmpeg's arguments for one segment, without the output; the frames come from standard
 * input as a stream (`frame-stream.ts`). The number of encoder threads changes the bytes, so it
 * must not depend on the machine.
 */
export function segmentArgs(
  quality: Quality,
  format: FrameFormat,
  fps: number,
  threads: number,
): readonly string[] {
  const every = `fps=${fps}`;
  const filters = format.codec === "planes" ? [every] : [...conversion(format, quality), every];
  // Takes the rate from the header instead of guessing it, because the first frames may repeat.
  const input = ["-fpsprobesize", "0", "-f", "avi"];
  const colors = format.codec === "planes" ? tags : [];
  const filtered = [...colors, "-i", "pipe:0", "-vf", filters.join(",")];
  return [...input, ...filtered, ...encoderArgs(quality, fps, threads)];
}

/** ffmpeg's arguments that encode its pictures into a file without sound. */
export function encoderArgs(quality: Quality, fps: number, threads: number): readonly string[] {
  return [
    ...["-r", `${fps}`, "-c:v", "libx264", ...presets[quality], "-profile:v", "high"],
    ...["-pix_fmt", "yuv420p", "-threads", `${threads}`, ...tags],
    ...["-x264-params", "open-gop=0", "-an", ...exact],
    // With lengths in milliseconds, segments would not last whole frames and the next one be late.
    ...["-movie_timescale", `${Math.round(fps * 1_000)}`, "-f", "mp4"],
  ];
}

function conversion(format: FrameFormat, quality: Quality): readonly string[] {
  const { codec } = format;
  const convert = codec === "mjpeg" && quality !== "high" ? fromJpeg : getScaleFilter(codec);
  return [...listPadding(format), convert, "format=yuv420p"];
}

/**
 * Pads odd edges by one pixel, a copy of the last. Pairs of pixels share their chroma, so each
 * pixel must first get its own: otherwise the last of an odd number would be overwritten.
 */
function listPadding({ codec, width, height }: FrameFormat): readonly string[] {
  const [right, bottom] = [width % 2, height % 2];
  if (right + bottom === 0) return [];
  const own = codec === "png" ? [] : ["scale=flags=neighbor", "format=yuvj444p"];
  const more = `pad=w=${width + right}:h=${height + bottom}`;
  return [...own, more, `fillborders=right=${right}:bottom=${bottom}:mode=smear`];
}

export interface Joining {
  /** Path of a file with a `segmentList`. */
  readonly listPath: string;
  readonly seconds: number;
  /** Arguments that open the mixed sound, which is already encoded. */
  readonly sound: readonly string[] | undefined;
}

/**
 * Writes the list for ffmpeg's concat demuxer. The codec whitelist keeps ffmpeg from decoding
 * segments to detect their format, which would take longer than all the rest.
 */
export function segmentList(paths: readonly string[]): string {
  const segments = paths.map((path) => `file '${path}'\noption codec_whitelist none\n`);
  return ["ffconcat version 1.0\n", ...segments].join("");
}

/** ffmpeg's arguments that join encoded segments and sound into the film, without the output. */
export function joiningArgs({ listPath, seconds, sound }: Joining): readonly string[] {
  const files = ["-protocol_whitelist", "file,pipe", "-f", "concat", "-safe", "0"];
  return [
    ...[...files, "-i", `file:${listPath}`],
    ...(sound ?? []),
    ...["-map", "0:v:0", "-c:v", "copy", ...tags],
    ...(sound === undefined ? ["-an"] : ["-map", "1:a:0", "-c:a", "copy"]),
    ...["-t", seconds.toFixed(6), "-movflags", "+faststart", ...exact, "-f", "mp4"],
  ];
}
