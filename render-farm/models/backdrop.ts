import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { MediaTools } from "../programs/media-tools.ts";
import { type EditedVideo, videoInput } from "./edited-video.ts";

/**
 * The background behind the subject of a video, judged by small samples: one colour at the borders
 * (to be keyed), or a still scene (to be subtracted).
 */
export type Backdrop =
  | {
      readonly kind: "flat";
      /** The colour in the video's own encoding, limited range. */
      readonly yuv: readonly [y: number, u: number, v: number];
      /** Chroma range that holds 95 % of the border samples, in 8-bit steps. */
      readonly chromaSpread: number;
      readonly lumaSpread: number;
    }
  | { readonly kind: "scene" };

const width = 128;
const height = 72;
const samplesMax = 16;
const flatShare = 0.72;

export async function findBackdrop(
  tools: MediaTools,
  video: EditedVideo,
  signal: AbortSignal,
): Promise<Backdrop> {
  const { durationSeconds } = video.recording;
  const rate = Math.max(0.2, samplesMax / Math.max(0.5, durationSeconds));
  const small = `fps=${rate.toFixed(3)},scale=${width}:${height}:flags=area,format=yuv444p`;
  const sampled = ["-map", "0:v:0", "-vf", small, "-frames:v", `${samplesMax}`];
  const pixels = await tools.ffmpeg([...videoInput(video), ...sampled, "-f", "rawvideo", "-"], {
    signal,
    timeoutMs: limits.farm.videoTaskMs,
    fault: "The video cannot be decoded.",
  });
  const size = width * height * 3;
  const frames = Math.floor(pixels.length / size);
  if (frames === 0) throw new PortError("The video has no frames.", false);
  return judge(
    Array.from({ length: frames }, (_, i) =>
      sampleBorder(pixels.subarray(i * size, (i + 1) * size)),
    ).flat(),
  );
}

type Sample = readonly [y: number, u: number, v: number];

/** Samples both sides and the top only, because subjects often stand on the lower edge. */
function sampleBorder(frame: Buffer): Sample[] {
  const samples: Sample[] = [];
  const plane = width * height;
  const take = (x: number, y: number): void => {
    const at = y * width + x;
    samples.push([frame[at] ?? 0, frame[plane + at] ?? 0, frame[2 * plane + at] ?? 0]);
  };
  for (let x = 1; x < width - 1; x += 2) for (const y of [1, 3]) take(x, y);
  for (let y = 4; y < height * 0.85; y += 2)
    for (const x of [1, 3, width - 4, width - 2]) take(x, y);
  return samples;
}

function judge(samples: readonly Sample[]): Backdrop {
  const yuv = [0, 1, 2].map((channel) => median(samples.map((one) => one[channel] ?? 0)));
  const [y = 0, u = 0, v = 0] = yuv;
  const chroma = samples.map((one) => Math.hypot(one[1] - u, one[2] - v));
  const luma = samples.map((one) => Math.abs(one[0] - y));
  const isColourful = Math.hypot(u - 128, v - 128) > 34;
  // A coloured screen is lit unevenly, but a white wall differs only in its brightness.
  const [chromaMax, lumaMax] = isColourful ? [26, 90] : [12, 26];
  const alike = samples.map((_, i) => (chroma[i] ?? 0) <= chromaMax && (luma[i] ?? 0) <= lumaMax);
  const share = alike.filter(Boolean).length / samples.length;
  if (share < flatShare) return { kind: "scene" };
  const within = (values: readonly number[]): number =>
    quantile(
      values.filter((_, i) => alike[i]),
      0.95,
    );
  return { kind: "flat", yuv: [y, u, v], chromaSpread: within(chroma), lumaSpread: within(luma) };
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
