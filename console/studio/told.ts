/** State that a composition's page reports; the page is untrusted, so every member is checked. */

export interface Told {
  readonly frames: number;
  readonly fps: number;
  readonly frame: number;
  readonly isPlaying: boolean;
  readonly warnings: readonly string[];
  readonly failure: string | undefined;
}

export const untold: Told = {
  frames: 0,
  fps: 30,
  frame: 0,
  isPlaying: false,
  warnings: [],
  failure: undefined,
};

type Words = { readonly [name: string]: unknown };

/** Returns `old` updated by the message `data`, as far as that is valid. */
export function withNews(old: Told, data: unknown): Told {
  if (typeof data !== "object" || data === null) return old;
  const { kind, frame, frames, fps, isPlaying, warnings, message } = data as Words;
  if (kind === "at" && isCount(frame)) return { ...old, frame, isPlaying: isPlaying === true };
  if (kind === "failed" && typeof message === "string")
    return { ...old, failure: message.slice(0, textMax) };
  if (kind !== "ready" || !isCount(frames) || !isCount(fps) || fps === 0) return old;
  const all: readonly unknown[] = Array.isArray(warnings) ? warnings.slice(0, warningsMax) : [];
  const sentences = all.filter((one) => typeof one === "string");
  return {
    ...old,
    frames,
    fps,
    warnings: [...new Set(sentences.map((one) => one.slice(0, textMax)))],
  };
}

const textMax = 300;
const warningsMax = 20;

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 10_000_000;
}
