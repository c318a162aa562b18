/** Frames `[from, to)` of a film that are made independently of the others. */
export interface Segment {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** The properties that decide, besides its length, where a film is cut. */
export interface Cuttable {
  readonly timeline: { readonly fps: number };
  readonly videos: readonly unknown[];
}

/**
 * Cuts a film into parts that may be made side by side: long ones first, so that the last one does
 * not keep the others waiting. The cuts depend on nothing but the film, so the joined film has the
 * same bytes whichever nodes make the parts.
 */
export function planSegments(frames: number, { timeline, videos }: Cuttable): readonly Segment[] {
  const { shares, secondsMin } = videos.length === 0 ? pageCut : videoCut;
  const segments: Segment[] = [];
  const least = Math.max(1, Math.floor(timeline.fps * secondsMin));
  for (let from = 0; from < frames; ) {
    const left = frames - from;
    const share = left / Math.max(1, Math.min(shares, Math.floor(left / least)));
    const length = Math.ceil(Math.min(share, timeline.fps * secondsMax));
    segments.push({ index: segments.length, from, to: Math.min(frames, from + length) });
    from += length;
  }
  return segments;
}

/** Each part is 1/`shares` of the rest. A part costs an encoder's start and a key frame. */
const pageCut = { shares: 4, secondsMin: 0.5 };
/** With videos, each part also starts their decoders, at a key frame before its own start. */
const videoCut = { shares: 3, secondsMin: 2 };
/** Longest part in seconds, which bounds the work to repeat when a part is lost. */
const secondsMax = 8;
