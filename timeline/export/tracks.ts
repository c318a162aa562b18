import type { Track } from "./edit-list.ts";

/** A clip that is to be placed on a track. */
export interface Laid<C> {
  readonly clip: C;
  readonly start: number;
  readonly end: number;
  /** Lane that the clip was written on. */
  readonly lane: string;
  /** Clip before this one that it may follow although it begins before that one's end. */
  readonly dissolvesFrom: C | undefined;
}

export interface Lane {
  readonly isEnabled: boolean;
  readonly isLocked: boolean;
}

interface Building<C> {
  readonly lane: string;
  readonly clips: Laid<C>[];
}

/**
 * Puts clips in the order of painting on tracks from the bottom: each above all that it overlaps,
 * beside clips of its own lane where there is room.
 */
export function stackTracks<C>(
  clips: readonly Laid<C>[],
  getLane: (name: string) => Lane,
): readonly Track<C>[] {
  const tracks: Building<C>[] = [];
  for (const laid of clips) {
    const overlapping = tracks.map(({ clips: before }) =>
      before.some((other) => overlaps(laid, other)),
    );
    const dissolving = tracks.findIndex(({ clips: before }) =>
      before.some((other) => follows(laid, other)),
    );
    const highest = overlapping.lastIndexOf(true);
    if (dissolving !== -1 && highest === dissolving && fits(laid, tracks[dissolving])) {
      tracks[dissolving]?.clips.push(laid);
      continue;
    }
    const free = tracks.findIndex(({ lane }, at) => at > highest && lane === laid.lane);
    const track = tracks[free];
    if (track === undefined) tracks.push({ lane: laid.lane, clips: [laid] });
    else track.clips.push(laid);
  }
  return finishTracks(tracks, getLane);
}

/** Puts each sound on its lane's first track with room, since sounds have no painting order. */
export function packTracks<C>(
  clips: readonly Laid<C>[],
  getLane: (name: string) => Lane,
): readonly Track<C>[] {
  const tracks: Building<C>[] = [];
  for (const laid of clips) {
    const track = tracks.find(
      ({ lane, clips: before }) =>
        lane === laid.lane && !before.some((other) => overlaps(laid, other)),
    );
    if (track === undefined) tracks.push({ lane: laid.lane, clips: [laid] });
    else track.clips.push(laid);
  }
  return finishTracks(tracks, getLane);
}

function finishTracks<C>(
  tracks: readonly Building<C>[],
  getLane: (name: string) => Lane,
): readonly Track<C>[] {
  return tracks.map(({ lane, clips }) => ({
    isEnabled: getLane(lane).isEnabled,
    isLocked: getLane(lane).isLocked,
    clips: [...clips].sort((one, other) => one.start - other.start).map(({ clip }) => clip),
  }));
}

function overlaps<C>(one: Laid<C>, other: Laid<C>): boolean {
  return one.start < other.end && other.start < one.end;
}

function follows<C>(laid: Laid<C>, other: Laid<C>): boolean {
  return laid.dissolvesFrom !== undefined && laid.dissolvesFrom === other.clip;
}

/** Whether a clip overlaps nothing on the track but the clip that it dissolves from. */
function fits<C>(laid: Laid<C>, track: Building<C> | undefined): boolean {
  return track?.clips.every((other) => follows(laid, other) || !overlaps(laid, other)) === true;
}
