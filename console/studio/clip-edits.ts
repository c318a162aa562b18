/**
 * Manual changes of clips and tracks; each maps a document to the next. A change without effect
 * returns the document itself, and so does any change on a locked track.
 */
import {
  bounds,
  type ClipEdit,
  clipEdit,
  type Edits,
  isLocked,
  type TrackEdit,
  trackEdit,
} from "./edits-document.ts";
import { clamp, type Placement, tidy } from "./placement.ts";
import { changeText } from "./text-edits.ts";

/** An element with an id, or an added text. */
export interface Editable extends Placement {
  readonly id: string;
  readonly isText: boolean;
}

/** Writes only the members that changed. */
export function placeClip(edits: Edits, clip: Editable, next: Placement): Edits {
  const lane = Math.round(clamp(next.lane, -bounds.lane, bounds.lane));
  if (isLocked(edits, clip.lane) || isLocked(edits, lane)) return edits;
  const duration = tidy(next.end - next.start);
  const timing: ClipEdit = {
    ...(next.start !== clip.start && { start: next.start }),
    ...(duration !== tidy(clip.end - clip.start) && { duration }),
    ...(lane !== clip.lane && { track_index: lane }),
  };
  if (clip.isText) return changeText(edits, clip.id, timing);
  return changeClip(edits, clip, {
    ...timing,
    ...(next.mediaStart !== clip.mediaStart && mediaStart(next)),
    ...(next.rate !== clip.rate && { playback_rate: next.rate }),
  });
}

function mediaStart({ mediaStart }: Placement): ClipEdit {
  return mediaStart === undefined ? {} : { media_start: clamp(mediaStart, 0, bounds.seconds) };
}

export function setVolume(edits: Edits, clip: Editable, volume: number): Edits {
  return changeClip(edits, clip, { volume: clamp(tidy(volume), 0, 1) });
}

/** Stores `hidden` for visible clips too, because the author may have hidden the clip. */
export function setHidden(edits: Edits, clip: Editable, hidden: boolean): Edits {
  return changeClip(edits, clip, { hidden });
}

function changeClip(edits: Edits, clip: Editable, members: ClipEdit): Edits {
  const { id, lane } = clip;
  const before = clipEdit(edits, id);
  const isSame = Object.entries(members).every(([name, value]) => before[name] === value);
  if (isSame || isLocked(edits, lane)) return edits;
  return { ...edits, clips: { ...edits.clips, [id]: { ...before, ...members } } };
}

/** Keeps the edits of a deleted element for when it is restored. */
export function deleteClip(edits: Edits, { id, isText, lane }: Editable): Edits {
  const { texts = [], deleted = [] } = edits;
  if (isLocked(edits, lane)) return edits;
  if (isText) return { ...edits, texts: texts.filter((text) => text.id !== id) };
  if (deleted.includes(id) || deleted.length >= bounds.deleted) return edits;
  return { ...edits, deleted: [...deleted, id] };
}

export function putBack(edits: Edits, id: string): Edits {
  const { deleted = [], ...others } = edits;
  if (!deleted.includes(id)) return edits;
  const left = deleted.filter((one) => one !== id);
  return left.length === 0 ? others : { ...others, deleted: left };
}

export type Toggle = "enabled" | "muted" | "locked";

/** The defaults of a track's toggles. */
const usual: Readonly<Record<Toggle, boolean>> = { enabled: true, muted: false, locked: false };

export function isOn(edits: Edits, lane: number, toggle: Toggle): boolean {
  return trackEdit(edits, lane)[toggle] ?? usual[toggle];
}

export function toggleTrack(edits: Edits, lane: number, toggle: Toggle): Edits {
  const { [toggle]: _, ...others } = trackEdit(edits, lane);
  const next = !isOn(edits, lane, toggle);
  const track: TrackEdit = next === usual[toggle] ? others : { ...others, [toggle]: next };
  const { [lane]: __, ...tracks } = edits.tracks ?? {};
  const isUsual = Object.keys(track).length === 0;
  return { ...edits, tracks: isUsual ? tracks : { ...tracks, [lane]: track } };
}
