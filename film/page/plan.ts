/// <reference lib="dom" />
import type { Clip, Composition, TextClip } from "../../timeline/model.ts";
import type { FilmTime } from "./time/film-time.ts";

/** What the page is given of its film, once. */
export interface FilmPlan {
  readonly fps: number;
  readonly width: number;
  readonly height: number;
  readonly isTransparent: boolean;
  /** Whether the page draws itself into a canvas. */
  readonly isSelfCaptured: boolean;
  /** Whether the page is only laid out, so that videos need not be shown. */
  readonly isUnfilmed: boolean;
  /**
   * Name of the file through which pictures are exchanged; until the first picture, the file begins
   * with it. Empty when nothing is exchanged.
   */
  readonly mark: string;
  readonly compositions: readonly Composition[];
  readonly clips: readonly PlannedClip[];
  readonly deleted: readonly string[];
  readonly texts: readonly TextClip[];
  /** How long to wait for timelines that have not registered, in milliseconds. */
  readonly timelineMs: number;
}

export interface PlannedClip
  extends Pick<
    Clip,
    "key" | "kind" | "composition" | "isShown" | "transform" | "motion" | "mask" | "start"
  > {
  /** Frames `[from, to)` in which the clip is shown. */
  readonly from: number;
  readonly to: number;
  /** For videos, their intrinsic size. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** URL of an image that is not where its `src` says: a graded one, or an asset. */
  readonly imageUrl: string | undefined;
}

/** What the page reports when it is ready to be filmed. */
export interface FilmReport {
  readonly warnings: readonly string[];
  /** Whether the root's scripts mention a timeline and none has registered. */
  readonly lacksTimeline: boolean;
  /** Whether the page, its body or the root has a background. */
  readonly isGrounded: boolean;
  /** Why the page cannot be filmed at all. */
  readonly refusal: string | undefined;
  /** Length of the root's own timeline in seconds, if it has one. */
  readonly duration: number | undefined;
  /** Reasons why the page has to be painted by the compositor itself. */
  readonly obstacles: readonly string[];
}

/** A page that consists only of pictures in boxes. */
export interface MediaLayout {
  /** Background colour: red, green and blue, 0 to 255. */
  readonly ground: readonly [red: number, green: number, blue: number];
  /** The pictures, in the order of painting. */
  readonly pictures: readonly PlacedPicture[];
}

/** A clip's picture on frames `[from, to)`, in whole even pixels of the canvas. */
export interface PlacedPicture {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly whole: Rectangle;
  /** The visible part of the picture. */
  readonly shown: Rectangle;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A video's picture in the exchange file: planes (I420 or I420A) of even sizes, or the packets that
 * they are decoded from.
 */
export interface PicturePlace {
  readonly at: number;
  /** Size of the visible picture. */
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  readonly coded?: CodedRun;
}

/** The packets from a key frame to the wanted picture, one after the other. */
export interface CodedRun {
  /** Codec string of WebCodecs. */
  readonly codec: string;
  /** Number of bytes before the first packet, which configure the decoder. */
  readonly description: number;
  /** The packets, in decoding order. */
  readonly packets: readonly { readonly length: number; readonly timeUs: number }[];
  /** Timestamp of the wanted picture, in microseconds. */
  readonly shownUs: number;
}

/** Code of a page's exchange thread, which the farm puts into the page. */
export interface ExchangeCode {
  /** The thread's script. */
  readonly thread: string;
  /** Bytes of `planar.wasm` in base64. */
  readonly converter: string;
}

export type ExchangeOrder =
  | {
      readonly kind: "open";
      readonly mark: string;
      /** Size of the frames that go out, in even numbers. */
      readonly width: number;
      readonly height: number;
      /** Bytes of `planar.wasm`. */
      readonly converter: BufferSource;
    }
  | { readonly kind: "hand"; readonly frame: VideoFrame }
  | {
      readonly kind: "picture";
      readonly place: PicturePlace;
      /** A free buffer of the right size for its pixels, if there is one. */
      readonly room: ArrayBuffer | undefined;
    };

/** Pixels (RGBA), or null for an answer without data. */
export type ExchangeAnswer = ArrayBuffer | null;

/** Places of the videos' pictures, by clip key. */
export type PicturePlaces = Readonly<Record<string, PicturePlace>>;

/** A frame to draw, with the video pictures that are new in it and in the next one. */
export interface FrameOrder {
  readonly frame: number;
  readonly videos: PicturePlaces;
  readonly next: PicturePlaces;
}

/** Volumes of sounds, one value per frame, by clip key. */
export type VolumeCurves = Readonly<Record<string, readonly number[]>>;

export interface VolumeOrder {
  /** Frames `[from, to)` to measure. */
  readonly from: number;
  readonly to: number;
  /** Clips that may be audible, with the volume that the author wrote. */
  readonly clips: readonly { readonly key: string; readonly volume: number }[];
}

export interface FilmWindow extends Window {
  readonly __kliegClock: FilmTime;
  __timelines?: Record<string, unknown>;
  __hf?: unknown;
  /** The `__hf` that we define for packages that asked for one. */
  readonly __kliegBridge?: unknown;
  __hyperframes?: unknown;
  readonly __kliegMade?: {
    readonly videos: readonly HTMLVideoElement[];
    readonly workerCanvases: number;
  };
  __hfAnime?: unknown;
  __hfLottie?: unknown;
}
