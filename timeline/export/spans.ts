import type { Clip, Timeline } from "../model.ts";
import { type EditMedia, editFps } from "./edit-list.ts";

/** A media clip in frames of the export, and what it plays of its source. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Frame of the source at the span's start. */
  readonly from: number;
  readonly rate: number;
  /** Frames after the span's start from which the source has nothing more. */
  readonly heldFrom: number | undefined;
}

/** Computes a clip's span; undefined for one shown for less than half a frame. */
export function computeSpan(
  clip: Clip,
  media: EditMedia,
  length: number | undefined,
): Span | undefined {
  const last = clip.end ?? length;
  const start = Math.round(Math.max(0, clip.start) * editFps);
  const end = Math.round((last ?? clip.start) * editFps);
  if (last === undefined || end <= start) return undefined;
  if (clip.media === undefined || media.kind === "image")
    return { start, end, from: 0, rate: 1, heldFrom: undefined };
  const { start: offset, rate, end: mediaEnd = Number.POSITIVE_INFINITY } = clip.media;
  const from = Math.round((offset + Math.max(0, -clip.start) * rate) * editFps);
  const available = Math.min(media.frames ?? Number.POSITIVE_INFINITY, mediaEnd * editFps) - from;
  const played = Math.max(0, Math.round(available / rate));
  // The last picture of many files is a little longer or shorter than a frame.
  const isHeld = played < end - start - 1;
  return { start, end, from, rate, heldFrom: isHeld ? played : undefined };
}

export function getLane({ composition, trackIndex }: Clip): string {
  return `${composition} ${trackIndex}`;
}

/** Returns when a timeline's clips end at the latest, in seconds. */
export function getSourceLength(
  { duration }: Timeline,
  measured: { readonly duration?: number | undefined } | undefined,
): number | undefined {
  return duration ?? measured?.duration;
}

/** Writes a moment of the export as editors show it. */
export function timeText(frames: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const seconds = Math.floor(frames / editFps);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${two(hours)}:${two(minutes)}:${two(seconds % 60)}:${two(frames % editFps)}`;
}
