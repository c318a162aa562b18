/**
 * Computes when the clip and the narration of each block play. A block lasts as long as its clip. A
 * longer narration is sped up by at most 1.15; while it goes on after that, the clip's last picture
 * is held. Pure; all times in seconds.
 */

/** A clip and its narration, before they have a place in the film. */
export interface Block {
  readonly clip: ImageClip | VideoClip;
  readonly narration?: Narration;
  /** Seconds of black and silence after the block. */
  readonly gap: number;
}

interface ClipAsset {
  readonly assetId: string;
  /** Size in pixels, as shown. */
  readonly width: number;
  readonly height: number;
}

interface ImageClip extends ClipAsset {
  readonly kind: "image";
  /** Seconds that the image is shown; as long as the narration if absent. */
  readonly seconds?: number;
}

interface VideoClip extends ClipAsset {
  readonly kind: "video";
  /** Seconds of the source at which the clip enters it, and how many are left from there on. */
  readonly start: number;
  readonly left: number;
  /** Seconds that the video is shown; to the end of its source if absent. */
  readonly seconds?: number;
  readonly volume: number;
}

export interface Narration {
  readonly assetId: string;
  readonly seconds: number;
}

export interface PlacedBlock {
  readonly clip: ImageClip | VideoClip;
  readonly start: number;
  readonly seconds: number;
  /** Seconds of a video's source that are played before its last picture is held. */
  readonly played: number;
  readonly narration?: PlacedNarration;
  readonly gap: number;
}

export interface PlacedNarration extends Narration {
  /** Seconds of the source that play in a second of the film. */
  readonly rate: number;
}

export interface PlacedBlocks {
  readonly blocks: readonly PlacedBlock[];
  readonly seconds: number;
  /** Warnings, one for each adjustment. */
  readonly warnings: readonly string[];
}

const fastestNarration = 1.15;
/** Smaller differences, in seconds, come only from how files state their length. */
const epsilon = 0.001;

export function placeBlocks(blocks: readonly Block[]): PlacedBlocks {
  const warnings: string[] = [];
  const placed: PlacedBlock[] = [];
  let start = 0;
  for (const [at, { clip, narration, gap }] of blocks.entries()) {
    const warn = (says: string) => warnings.push(`block ${at + 1}: ${says}`);
    const wanted = clip.seconds ?? (clip.kind === "video" ? clip.left : (narration?.seconds ?? 0));
    const spoken = narration?.seconds ?? 0;
    const rate = spoken > wanted + epsilon ? Math.min(fastestNarration, spoken / wanted) : 1;
    const seconds = Math.max(wanted, spoken > wanted + epsilon ? spoken / rate : 0);
    const played = Math.min(wanted, clip.kind === "video" ? clip.left : wanted);
    if (rate > 1) warn(`narration sped up x${roundTime(rate)}`);
    if (seconds > played + epsilon) warn(`last frame held ${roundTime(seconds - played)} s`);
    placed.push({
      clip,
      start,
      seconds,
      played,
      gap,
      ...(narration === undefined ? {} : { narration: { ...narration, rate } }),
    });
    start += seconds + gap;
  }
  return { blocks: placed, seconds: start, warnings };
}

function roundTime(value: number): number {
  return Number(value.toFixed(3));
}
