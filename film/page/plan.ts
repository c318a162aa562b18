/// <reference lib="dom" />
import type { Clip, Composition, TextClip } from "../../timeline/model.ts";
import type { FilmTime } from "./time/film-time.ts";

/** What the page gets of its film, once. */
export interface FilmPlan {
  readonly fps: number;
  readonly width: number;
  readonly height: number;
  readonly isTransparent: boolean;
  /** Whether the page draws itself into a canvas. */
  readonly isSelfCaptured: boolean;
  /** Whether it is only laid out, so that videos need not be shown. */
  readonly isUnfilmed: boolean;
  /**
   * Name of the file through which pictures come and go, and until the first one its first bytes;
   * empty where there are none.
   */
  readonly mark: string;
  readonly compositions: readonly Composition[];
  readonly clips: readonly PlannedClip[];
  readonly deleted: readonly string[];
  readonly texts: readonly TextClip[];
  /** How long to wait for timelines that have not registered. */
  readonly timelineMs: number;
}

export interface PlannedClip
  extends Pick<
    Clip,
    "key" | "kind" | "composition" | "isShown" | "transform" | "motion" | "mask" | "start"
  > {
  /** Frames `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Videos: their own size. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** Images that are not where their `src` says: graded ones and assets. */
  readonly imageUrl: string | undefined;
}

/** What the page says when it can be filmed. */
export interface FilmReport {
  readonly warnings: readonly string[];
  /** Whether the root's scripts speak of a timeline and none registered. */
  readonly lacksTimeline: boolean;
  /** Whether the page, its body or the root has a background. */
  readonly isGrounded: boolean;
  /** Why the page cannot be filmed at all. */
  readonly refusal: string | undefined;
  /** Seconds of the root's own timeline, where it says any. */
  readonly duration: number | undefined;
  /** Why the page may only be painted by the compositor itself. */
  readonly obstacles: readonly string[];
}

/** A page that is nothing but pictures in boxes. */
export interface MediaLayout {
  /** Red, green and blue, 0 to 255, of what is behind. */
  readonly ground: readonly [red: number, green: number, blue: number];
  /** In the order of painting. */
  readonly pictures: readonly PlacedPicture[];
}

/** A clip's picture on frames `[from, to)`, in whole even pixels of the canvas. */
export interface PlacedPicture {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly whole: Rectangle;
  /** As much of it as is to be seen. */
  readonly shown: Rectangle;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A video's picture in the exchange's file: planes (I420 or I420A) of even sizes, or what they are
 * decoded from.
 */
export interface PicturePlace {
  readonly at: number;
  /** Of what is to be seen. */
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  readonly coded?: CodedRun;
}

/** Packets from a key frame to a picture, one after the other. */
export interface CodedRun {
  /** As WebCodecs names it. */
  readonly codec: string;
  /** Bytes before the first packet that the decoder is set up with. */
  readonly description: number;
  /** In the order of decoding. */
  readonly packets: readonly { readonly length: number; readonly timeUs: number }[];
  /** Time of the picture. */
  readonly shownUs: number;
}

/** What a page's exchange thread is made of; the farm leaves it in the page. */
export interface ExchangeCode {
  /** The thread's script. */
  readonly thread: string;
  /** `planar.wasm` in base64. */
  readonly converter: string;
}

export type ExchangeOrder =
  | {
      readonly kind: "open";
      readonly mark: string;
      /** Of the frames that go out, even numbers. */
      readonly width: number;
      readonly height: number;
      /** `planar.wasm` */
      readonly converter: BufferSource;
    }
  | { readonly kind: "hand"; readonly frame: VideoFrame }
  | {
      readonly kind: "picture";
      readonly place: PicturePlace;
      /** A free buffer of the right size for its pixels, if there is one. */
      readonly room: ArrayBuffer | undefined;
    };

/** Pixels (RGBA), or nothing. */
export type ExchangeAnswer = ArrayBuffer | null;

/** Pictures of videos by the clip's key. */
export type PicturePlaces = Readonly<Record<string, PicturePlace>>;

/** A frame, with those pictures of videos that are new in it and in the one after it. */
export interface FrameOrder {
  readonly frame: number;
  readonly videos: PicturePlaces;
  readonly next: PicturePlaces;
}

/** Loudness of sounds: one value a frame, by the clip's key. */
export type VolumeCurves = Readonly<Record<string, readonly number[]>>;

export interface VolumeOrder {
  /** Frames `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Clips that may be heard, with what the author wrote. */
  readonly clips: readonly { readonly key: string; readonly volume: number }[];
}

export interface FilmWindow extends Window {
  readonly __kliegClock: FilmTime;
  __timelines?: Record<string, unknown>;
  __hf?: unknown;
  /** A `__hf` of ours, for packages that asked for one. */
  readonly __kliegBridge?: unknown;
  __hyperframes?: unknown;
  readonly __kliegMade?: {
    readonly videos: readonly HTMLVideoElement[];
    readonly workerCanvases: number;
  };
  __hfAnime?: unknown;
  __hfLottie?: unknown;
}
