import type { MediaSource } from "./bundle.ts";
import type { Diagnostic } from "./diagnostics.ts";
import type { Grade } from "./grade.ts";
import type { AddedText, KeyframeEdit, MaskEdit, TransformEdit } from "./overlay.ts";

/**
 * The effective timeline: what the author wrote with the edits applied. All times are seconds of
 * the film; whatever is shown is shown on `[start, end)`.
 */
export interface Timeline {
  /** Undefined when only the page's own animation knows it. */
  readonly duration: number | undefined;
  readonly fps: number;
  /** 0 when the root says none. */
  readonly width: number;
  readonly height: number;
  /** The root first, then hosts in the order of the document. */
  readonly compositions: readonly Composition[];
  /** In the order of the document. */
  readonly clips: readonly Clip[];
  /** Keys of elements that the edits took out. */
  readonly deleted: readonly string[];
  readonly texts: readonly TextClip[];
  readonly tracks: readonly Track[];
  readonly diagnostics: readonly Diagnostic[];
}

/** One instance of a composition: its own time runs `rate` times as fast from `offset`. */
export interface Composition {
  /** `""` for the root, else the host's key. */
  readonly key: string;
  /** Under which its timeline registers. */
  readonly id: string;
  /** The file that holds its markup. */
  readonly path: string;
  /** The markup is that of another file. */
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
  /** Keys of the hosts around it and its own, joined by `/`. */
  readonly key: string;
  /** `""` when the author gave none. */
  readonly id: string;
  readonly kind: ClipKind;
  /** Key of the composition that contains it. */
  readonly composition: string;
  readonly path: string;
  readonly start: number;
  /** Undefined only when the film's length is. */
  readonly end: number | undefined;
  readonly trackIndex: number;
  /** Neither it nor an ancestor is hidden or on a track that is off. */
  readonly isShown: boolean;
  /** Whether its sound may be heard, if it has any. */
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
  /** Seconds of the source where it ends for this clip: its last picture is held from there on. */
  readonly end?: number;
  /** Seconds of the source a second of the film; that of the hosts included. */
  readonly rate: number;
  readonly volume: number;
  readonly role: AudioRole;
  readonly isMuted: boolean;
  readonly isLooped: boolean;
  /** Seconds in which its sound comes at the clip's start, and goes at its end. */
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
  /** Undefined: not wrapped. */
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
  /** Keys of the root's clips on it. */
  readonly clips: readonly string[];
}

/** Below this, seconds are the same instant. */
export const epsilon = 1e-6;

/** Frames of a film: all whose time is in `[0, duration)`. */
export function frameCount(duration: number, fps: number): number {
  return Math.max(1, Math.ceil(duration * fps - epsilon));
}

/** Films have even sizes; an odd one gets one pixel more. */
export function even(size: number): number {
  return size + (size % 2);
}

/** The first frame whose time is not before `seconds`. */
export function frameFrom(seconds: number, fps: number): number {
  return Math.ceil(seconds * fps - epsilon);
}
