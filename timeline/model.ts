import type { MediaSource } from "./bundle.ts";
import type { Diagnostic } from "./diagnostics.ts";
import type { Grade } from "./grade.ts";
import type { AddedText, KeyframeEdit, MaskEdit, TransformEdit } from "./overlay.ts";

/**
 * The effective timeline: what the author wrote with the edits applied. All times are seconds of
 * the film; whatever is shown is shown on `[start, end)`.
 */
export interface Timeline {
  /** Length of the film; undefined when only the page's own animation knows it. */
  readonly duration: number | undefined;
  readonly fps: number;
  /** Size of the film; 0 when the root states none. */
  readonly width: number;
  readonly height: number;
  /** Compositions: the root first, then hosts in the order of the document. */
  readonly compositions: readonly Composition[];
  /** Clips in the order of the document. */
  readonly clips: readonly Clip[];
  /** Keys of elements that the edits removed. */
  readonly deleted: readonly string[];
  readonly texts: readonly TextClip[];
  readonly tracks: readonly Track[];
  readonly diagnostics: readonly Diagnostic[];
}

/** One instance of a composition: its own time runs `rate` times as fast from `offset`. */
export interface Composition {
  /** Key of the host; `""` for the root. */
  readonly key: string;
  /** Id under which the composition's timeline registers. */
  readonly id: string;
  /** Path of the file that holds the composition's markup. */
  readonly path: string;
  /** Whether the markup is that of another file. */
  readonly isMounted: boolean;
  readonly start: number;
  readonly end: number | undefined;
  readonly offset: number;
  readonly rate: number;
  readonly variables: Readonly<Record<string, unknown>>;
}

export type ClipKind = "video" | "audio" | "image" | "composition" | "element";
export type AudioRole = "narration" | "music" | "sfx" | "clip";

export interface Clip {
  /** Keys of the hosts around the clip and its own key, joined by `/`. */
  readonly key: string;
  /** Id of the clip; `""` when the author gave none. */
  readonly id: string;
  readonly kind: ClipKind;
  /** Key of the composition that contains it. */
  readonly composition: string;
  readonly path: string;
  readonly start: number;
  /** End of the clip; undefined only when the film's length is. */
  readonly end: number | undefined;
  readonly trackIndex: number;
  /** Whether neither the clip nor an ancestor is hidden or on a track that is off. */
  readonly isShown: boolean;
  /** Whether the clip's sound may be heard, if it has any. */
  readonly isAudible: boolean;
  readonly media: ClipMedia | undefined;
  readonly transform: TransformEdit | undefined;
  readonly motion: readonly KeyframeEdit[];
  readonly mask: MaskEdit | undefined;
  readonly grade: Grade | undefined;
}

export interface ClipMedia {
  readonly source: MediaSource | undefined;
  /** Seconds of the source at the clip's start. */
  readonly start: number;
  /** Seconds of the source where it ends for this clip; its last picture is held from there. */
  readonly end?: number;
  /** Seconds of the source in a second of the film, including the rates of the hosts. */
  readonly rate: number;
  readonly volume: number;
  readonly role: AudioRole;
  readonly isMuted: boolean;
  readonly isLooped: boolean;
  /** Seconds in which the sound fades in at the clip's start, and out at its end. */
  readonly fadeIn: number;
  readonly fadeOut: number;
}

export interface TextClip {
  readonly id: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly trackIndex: number;
  readonly isShown: boolean;
  readonly x: number;
  readonly y: number;
  /** Width at which the text wraps; undefined if it does not. */
  readonly width: number | undefined;
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly fontWeight: number | "normal" | "bold";
  readonly color: string;
  readonly align: NonNullable<AddedText["align"]>;
  readonly motion: readonly KeyframeEdit[];
}

export interface Track {
  readonly index: number;
  readonly isEnabled: boolean;
  readonly isMuted: boolean;
  readonly isLocked: boolean;
  /** Keys of the root's clips on the track. */
  readonly clips: readonly string[];
}

/** Seconds below which two times are the same instant. */
export const epsilon = 1e-6;

/** Counts the frames of a film: all whose time is in `[0, duration)`. */
export function frameCount(duration: number, fps: number): number {
  return Math.max(1, Math.ceil(duration * fps - epsilon));
}

/** Makes an odd size one pixel larger, since films have even sizes. */
export function even(size: number): number {
  return size + (size % 2);
}

/** Returns the first frame whose time is not before `seconds`. */
export function frameFrom(seconds: number, fps: number): number {
  return Math.ceil(seconds * fps - epsilon);
}
