export interface Size {
  readonly width: number;
  readonly height: number;
}

const longEdges: Readonly<Record<string, number>> = { "1k": 1_024, "2k": 2_048, "4k": 4_096 };
const shortEdges: Readonly<Record<string, number>> = {
  "480p": 480,
  "720p": 720,
  "1080p": 1_080,
  "1440p": 1_440,
  "4k": 2_160,
};

/** For an image, the resolution is the long edge; the other follows the ratio, rounded to even. */
export function imageSize(ratio: string, resolution: string): Size {
  const [across, down] = parseRatio(ratio);
  const long = longEdges[resolution] ?? 1_024;
  const short = even((long * Math.min(across, down)) / Math.max(across, down));
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

/** For a video, the resolution is the short edge. */
export function videoSize(ratio: string, resolution: string): Size {
  const [across, down] = parseRatio(ratio);
  const short = shortEdge(resolution);
  const long = even((short * Math.max(across, down)) / Math.min(across, down));
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

export function shortEdge(resolution: string): number {
  return shortEdges[resolution] ?? 720;
}

export function even(length: number): number {
  return 2 * Math.round(length / 2);
}

/** A preview model accepts any text as its ratio; one that is not a ratio counts as 1:1. */
function parseRatio(ratio: string): [across: number, down: number] {
  const [, first = 1, second = 1] = ratioPattern.exec(ratio) ?? [];
  const [across, down] = [Number(first), Number(second)];
  return across > 0 && down > 0 ? [across, down] : [1, 1];
}

const ratioPattern = /^(\d{1,4}(?:\.\d{1,4})?)(?::(\d{1,4}(?:\.\d{1,4})?))?$/;
