/** Frames `[from, to)` of a film that are made without a look at the others. */
export interface Segment {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Cuts a film into parts that may be made side by side. Where it is cut depends on nothing but the
 * film, so whoever makes the parts, the joined film has the same bytes.
 */
export function segmentsOf(frames: number, fps: number): readonly Segment[] {
  const quarter = Math.ceil(frames / 4);
  const length = Math.ceil(Math.min(Math.max(quarter, fps * secondsMin), fps * secondsMax));
  return Array.from({ length: Math.ceil(frames / length) }, (_, index) => ({
    index,
    from: index * length,
    to: Math.min(frames, (index + 1) * length),
  }));
}

/** Each part costs an encoder's start and a key frame. */
const secondsMin = 1;
/** And what comes after a lost part is little. */
const secondsMax = 8;
