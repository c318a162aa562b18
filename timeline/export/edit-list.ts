import type { Grade } from "../grade.ts";
import type { MaskEdit } from "../overlay.ts";
import type { Curve } from "./curve.ts";
import type { Point } from "./matrix.ts";

/**
 * A composition as an editor works on it: tracks of clips with times in whole frames. `compile.ts`
 * makes it from the effective timeline; each format has one writer for it.
 */
export interface EditList {
  readonly name: string;
  readonly compositionId: string;
  readonly width: number;
  readonly height: number;
  /** Length of the composition in frames. */
  readonly frames: number;
  /** Picture tracks from bottom to top; texts are last. */
  readonly pictures: readonly Track<PictureClip>[];
  readonly sounds: readonly Track<SoundClip>[];
  /** Media in the order of their numbers. */
  readonly media: readonly EditMedia[];
  readonly texts: readonly EditText[];
  readonly luts: readonly EditLut[];
  /** Times at which the page itself draws something. */
  readonly markers: readonly EditMarker[];
  /** What none of our formats can hold, one sentence each. */
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
  /** Clips by rising start, one after the other except where one dissolves into the next. */
  readonly clips: readonly C[];
}

export interface EditMedia {
  readonly kind: "video" | "audio" | "image";
  /** Path in the bundle, or `asset:<id>`. */
  readonly ref: string;
  readonly assetId: string | undefined;
  /** Path beside the exported file, in ASCII. */
  readonly path: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Length in frames; undefined for stills and where it is not known. */
  readonly frames: number | undefined;
  /** Number of sound channels; 0 when there is no sound. */
  readonly channels: number;
  /** Timecode of the first frame. */
  readonly timecode: string;
  readonly timecodeFrame: number;
}

interface Placed {
  /** Key that a clip's picture and its sound share. */
  readonly key: string;
  /** Name of the clip in warnings and layers. */
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
  /** Frames of the source for one frame of the clip. */
  readonly rate: number;
  /** Frame of the clip from which the source has nothing more; undefined if it lasts to the end. */
  readonly heldFrom: number | undefined;
  readonly pose: PoseCurves;
  readonly crop: Crop | undefined;
  readonly mask: EditMask | undefined;
  readonly lut: EditLut | undefined;
  readonly hasAlpha: boolean;
  /** Frame at which this clip covers the one before it, which dissolves into it until then. */
  readonly dissolvesUntil: number | undefined;
}

/** Curves in pixels of the canvas, about the picture's middle; scale 1 is its own size. */
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
  /** Gain as a linear factor. */
  readonly gain: Curve;
}

export interface EditText {
  readonly id: string;
  readonly text: string;
  /** Lines as the text is broken, where that was measured. */
  readonly lines: readonly string[];
  readonly fontFamily: string;
  readonly fontSize: number;
  readonly isBold: boolean;
  readonly align: "left" | "center" | "right";
  /** Colour, each part 0 to 1. */
  readonly color: readonly [red: number, green: number, blue: number];
  readonly box: { readonly width: number; readonly height: number };
  /** Distance of the baseline from the top of the box. */
  readonly baseline: number;
  /** PNG of the text, larger than the box by the margin on each side. */
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
  /** Names of the clips that the LUT grades. */
  readonly clips: readonly string[];
}
