import type { Grade } from "../grade.ts";
import type { MaskEdit } from "../overlay.ts";
import type { Curve } from "./curve.ts";
import type { Point } from "./matrix.ts";

/**
 * A composition as an editor works on it: tracks of clips with times in whole frames. Made from the
 * effective timeline by `compile.ts`; each format has one writer over it.
 */
export interface EditList {
  readonly name: string;
  readonly compositionId: string;
  readonly width: number;
  readonly height: number;
  /** Its length. */
  readonly frames: number;
  /** Bottom to top; texts last. */
  readonly pictures: readonly Track<PictureClip>[];
  readonly sounds: readonly Track<SoundClip>[];
  /** In the order of their numbers. */
  readonly media: readonly EditMedia[];
  readonly texts: readonly EditText[];
  readonly luts: readonly EditLut[];
  /** When the page itself draws something. */
  readonly markers: readonly EditMarker[];
  /** What no format of ours has, a sentence each. */
  readonly warnings: readonly string[];
}

/** Frames a second of every edit list. */
export const editFps = 30;

export interface EditMarker {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export interface Track<C> {
  readonly isEnabled: boolean;
  readonly isLocked: boolean;
  /** By rising start, one after the other save where one dissolves into the next. */
  readonly clips: readonly C[];
}

export interface EditMedia {
  readonly kind: "video" | "audio" | "image";
  /** The bundle's path, or `asset:<id>`. */
  readonly ref: string;
  readonly assetId: string | undefined;
  /** Beside the exported file; ASCII. */
  readonly path: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Its length; undefined for stills and where it is not known. */
  readonly frames: number | undefined;
  /** Of its sound; 0 when it has none. */
  readonly channels: number;
  /** Of its first frame. */
  readonly timecode: string;
  readonly timecodeFrame: number;
}

interface Placed {
  /** The same for a clip's picture and its sound. */
  readonly key: string;
  /** As warnings and layers name it. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly isEnabled: boolean;
}

export interface PictureClip extends Placed {
  readonly content:
    | { readonly kind: "media"; readonly media: EditMedia }
    | { readonly kind: "text"; readonly text: EditText };
  /** Frame of the source at the clip's start. */
  readonly from: number;
  /** Frames of the source for one of the clip. */
  readonly rate: number;
  /** The frame of the clip from which on the source has nothing more, if that is before its end. */
  readonly heldFrom: number | undefined;
  readonly pose: PoseCurves;
  readonly crop: Crop | undefined;
  readonly mask: EditMask | undefined;
  readonly lut: EditLut | undefined;
  readonly hasAlpha: boolean;
  /** The frame at which it covers the clip before it, of which it dissolves out until then. */
  readonly dissolvesUntil: number | undefined;
}

/** In pixels of the canvas, about the middle of the picture; scale 1 is the picture's own size. */
export interface PoseCurves {
  readonly position: Curve;
  readonly scale: Curve;
  readonly rotation: Curve;
  readonly opacity: Curve;
}

/** Shares of the picture that are cut off, 0 to 1. */
export interface Crop {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A mask of the edits, in the picture's own pixels. */
export interface EditMask {
  readonly shape: MaskEdit["shape"];
  readonly points: readonly Point[];
  readonly feather: number;
  readonly isInverted: boolean;
}

export interface SoundClip extends Placed {
  readonly media: EditMedia;
  readonly from: number;
  readonly rate: number;
  /** Linear. */
  readonly gain: Curve;
}

export interface EditText {
  readonly id: string;
  readonly text: string;
  /** As they are broken, where that was measured. */
  readonly lines: readonly string[];
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly isBold: boolean;
  readonly align: "left" | "center" | "right";
  /** 0 to 1. */
  readonly color: readonly [red: number, green: number, blue: number];
  readonly box: { readonly width: number; readonly height: number };
  /** From the top of the box. */
  readonly baseline: number;
  /** Of its PNG, which is larger than the box by the margin on each side. */
  readonly picture: TextPicture | undefined;
}

export interface TextPicture {
  readonly path: string;
  readonly base64: string;
  readonly width: number;
  readonly height: number;
}

export interface EditLut {
  readonly path: string;
  readonly grade: Grade;
  /** Names of the clips that it grades. */
  readonly clips: readonly string[];
}
