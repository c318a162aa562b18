import type { Quality } from "./render-input.ts";

/** How frames become the film's file, by quality; what a client may expect is in the contract. */
export interface FrameFormat {
  readonly codec: "mjpeg" | "png";
  /** Of the pictures that pages make, 1 to 100. */
  readonly quality: number;
}

export const frameFormats: Readonly<Record<Quality, FrameFormat>> = {
  fast: { codec: "mjpeg", quality: 88 },
  standard: { codec: "mjpeg", quality: 95 },
  high: { codec: "png", quality: 100 },
};

const presets: Readonly<Record<Quality, readonly string[]>> = {
  fast: ["-preset", "superfast", "-crf", "25"],
  standard: ["-preset", "superfast", "-crf", "20"],
  high: ["-preset", "medium", "-crf", "16"],
};

export interface Encoding {
  readonly quality: Quality;
  readonly codec: FrameFormat["codec"];
  readonly fps: number;
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  /** Arguments that open the mixed sound. */
  readonly sound: readonly string[] | undefined;
}

/** JPEG is BT.601 in full range; what goes out is BT.709 in limited range. */
const fromJpeg = [
  "colorspace=ispace=bt470bg:iprimaries=bt709:itrc=bt709:irange=pc",
  "space=bt709:primaries=bt709:trc=bt709:range=tv:format=yuv420p",
].join(":");

/** The same for every sampling of colours, and for RGB, at ten times the cost. */
function scaled(codec: FrameFormat["codec"]): string {
  const from = codec === "mjpeg" ? "in_color_matrix=bt601:in_range=full:" : "";
  return `scale=${from}out_color_matrix=bt709:out_range=limited:flags=accurate_rnd+bilinear`;
}

/**
 * Odd edges get one more pixel, like the last. Pairs of pixels share their colour, so each must
 * have its own before: the last of an odd number would be painted over.
 */
function padding({ codec, width, height }: Encoding): readonly string[] {
  const [right, bottom] = [width % 2, height % 2];
  if (right + bottom === 0) return [];
  const own = codec === "png" ? [] : ["scale=flags=neighbor", "format=yuvj444p"];
  const more = `pad=w=${width + right}:h=${height + bottom}`;
  return [...own, more, `fillborders=right=${right}:bottom=${bottom}:mode=smear`];
}

/** ffmpeg's arguments, without the output; frames come from its standard input. */
export function encodingArgs(encoding: Encoding): readonly string[] {
  const { quality, codec, fps, frames, sound } = encoding;
  const pictures = ["-f", "image2pipe", "-c:v", codec, "-framerate", `${fps}`, "-i", "pipe:0"];
  const convert = codec === "mjpeg" && quality !== "high" ? fromJpeg : scaled(codec);
  const even = padding(encoding);
  const tags = ["-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709"];
  return [
    ...pictures,
    ...(sound ?? []),
    ...["-map", "0:v:0", ...(sound === undefined ? [] : ["-map", "1:a:0"])],
    ...["-vf", [...even, convert, "format=yuv420p"].join(","), "-r", `${fps}`],
    ...["-c:v", "libx264", ...presets[quality], "-profile:v", "high", "-pix_fmt", "yuv420p"],
    ...["-threads", "2", ...tags, "-color_trc", "bt709", "-x264-params", "open-gop=0"],
    ...(sound === undefined
      ? ["-an"]
      : ["-c:a", "aac", "-b:a", "192k", "-ar", "48000", "-ac", "2"]),
    ...["-t", (frames / fps).toFixed(6)],
    ...["-movflags", "+faststart", "-fflags", "+bitexact", "-flags", "+bitexact", "-f", "mp4"],
  ];
}
