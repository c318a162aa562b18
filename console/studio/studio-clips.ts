/**
 * The clips as shown on lanes: the service's timeline, with the edits that it has not seen yet
 * applied at once. Effects on clips that depend on an edited one are known only to the service.
 */
import type {
  EffectiveClip,
  EffectiveTimeline,
} from "../../clients/typescript/src/generated/models.ts";
import { type Editable, isOn } from "./clip-edits.ts";
import { type AddedText, type ClipEdit, clipEdit, type Edits, isLocked } from "./edits-document.ts";

import type { Version } from "./history.ts";

type Diagnostic = EffectiveTimeline["diagnostics"][number];

export interface StudioClip extends Editable {
  readonly key: string;
  readonly kind: EffectiveClip["kind"];
  readonly name: string;
  /** Key of the enclosing clip; empty for the film's own clips. */
  readonly host: string;
  readonly isShown: boolean;
  readonly isHidden: boolean;
  /** Volume; undefined for clips without sound. */
  readonly volume: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Reason why the clip cannot be moved or trimmed. */
  readonly fixed: string | undefined;
}

/** A timeline and the edits that it was computed with: parsed, and the file's text. */
export interface TimedFilm {
  readonly timeline: EffectiveTimeline;
  readonly edits: Edits;
  readonly version: Version;
}

/** By key, the clips as they are without edits to their placement, as far as those were seen. */
export type Authored = ReadonlyMap<string, EffectiveClip>;

export function learnAuthored(known: Authored, { timeline, edits }: TimedFilm): Authored {
  const plain = timeline.clips.filter(({ id, kind }) => kind !== "text" && !isPlaced(edits, id));
  return new Map([...known, ...plain.map((clip) => [clip.key, clip] as const)]);
}

const placing = ["start", "duration", "track_index", "media_start", "playback_rate", "volume"];

function isPlaced(edits: Edits, id: string): boolean {
  const edit = clipEdit(edits, id);
  return placing.some((name) => edit[name] !== undefined);
}

export interface Lane {
  /** Key of the clip that contains the composition; empty for the film's own tracks. */
  readonly host: string;
  readonly index: number;
  readonly clips: readonly StudioClip[];
}

export function studioClips(
  film: TimedFilm,
  authored: Authored,
  edits: Edits,
  seconds: number,
): readonly StudioClip[] {
  const { timeline } = film;
  const isSame = film.edits === edits;
  const timed = timeline.clips.filter(({ kind }) => kind !== "text");
  const known = isSame ? timed : [...timed, ...listRemoved(film, authored)];
  const own = known
    .filter(({ id }) => isSame || !(edits.deleted ?? []).includes(id))
    .map((clip) =>
      createShownClip(isSame ? clip : editClip(clip, film, authored, edits), edits, seconds),
    );
  const texts = (edits.texts ?? [])
    .filter(({ id }) => !(edits.deleted ?? []).includes(id))
    .map((text) => createShownText(text, edits));
  const all = [...own, ...texts];
  return all.map((clip) => ({
    ...clip,
    diagnostics: timeline.diagnostics.filter(({ element }) => isAbout(element, clip.id)),
  }));
}

/** Lists the clips that are deleted by the edits which the service has seen. */
function listRemoved({ edits }: TimedFilm, authored: Authored): readonly EffectiveClip[] {
  return [...authored.values()].filter(({ id }) => (edits.deleted ?? []).includes(id));
}

function editClip(clip: EffectiveClip, film: TimedFilm, authored: Authored, edits: Edits) {
  if (clip.composition_key !== "") return clip;
  const edit = clipEdit(edits, clip.id);
  const isEqual = sameTiming(edit, clipEdit(film.edits, clip.id));
  const from = isEqual ? clip : (authored.get(clip.key) ?? clip);
  const start = edit.start ?? from.start_seconds;
  const length = from.end_seconds == null ? undefined : from.end_seconds - from.start_seconds;
  const duration = edit.duration ?? length;
  return {
    ...from,
    start_seconds: start,
    end_seconds: duration === undefined ? null : start + duration,
    track_index: edit.track_index ?? from.track_index,
    media_start_seconds: edit.media_start ?? from.media_start_seconds ?? null,
    playback_rate: edit.playback_rate ?? from.playback_rate ?? null,
    volume: edit.volume ?? from.volume ?? null,
    is_shown: isOn(edits, edit.track_index ?? from.track_index, "enabled") && edit.hidden !== true,
  };
}

function sameTiming(one: ClipEdit, other: ClipEdit): boolean {
  return placing.every((name) => one[name] === other[name]);
}

type Shown = Omit<StudioClip, "diagnostics">;

function createShownClip(clip: EffectiveClip, edits: Edits, seconds: number): Shown {
  const { key, id, kind, path, composition_key: host, track_index: lane } = clip;
  const isMedia = kind === "video" || kind === "audio";
  return {
    key,
    id,
    kind,
    host,
    lane,
    isText: false,
    name: id || path || kind,
    start: clip.start_seconds,
    end: clip.end_seconds ?? Math.max(seconds, clip.start_seconds),
    mediaStart: clip.media_start_seconds ?? undefined,
    rate: clip.playback_rate ?? 1,
    volume: isMedia ? (clip.volume ?? 1) : undefined,
    isShown: clip.is_shown,
    isHidden: clipEdit(edits, id).hidden ?? (!clip.is_shown && isOn(edits, lane, "enabled")),
    fixed: explainFixed(clip, edits),
  };
}

function createShownText(text: AddedText, edits: Edits): Shown {
  const { id, start, duration, track_index: lane = 0 } = text;
  const isHidden = clipEdit(edits, id).hidden === true;
  return {
    key: id,
    id,
    lane,
    start,
    kind: "text",
    host: "",
    isText: true,
    isHidden,
    name: text.text.trim() || id,
    end: start + duration,
    mediaStart: undefined,
    rate: 1,
    volume: undefined,
    isShown: !isHidden && isOn(edits, lane, "enabled"),
    fixed: isLocked(edits, lane) ? lockedTrack : undefined,
  };
}

const lockedTrack = "Its track is locked.";

function explainFixed(
  { id, composition_key: host, track_index: lane }: EffectiveClip,
  edits: Edits,
) {
  if (host !== "") return "Its times come from the composition that contains it; edit that file.";
  if (id === "") return "Give the element an id to edit it here.";
  return isLocked(edits, lane) ? lockedTrack : undefined;
}

/** Whether a diagnostic, which names elements as `tag#id`, is about this id. */
export function isAbout(element: string | null | undefined, id: string): boolean {
  return id !== "" && element?.slice(element.indexOf("#") + 1) === id;
}

/** Lists the film's own tracks first, then those of each composition in it. */
export function listLanes(clips: readonly StudioClip[], edits: Edits): readonly Lane[] {
  const lanes = new Map<string, StudioClip[]>();
  const laneAt = (host: string, index: number): StudioClip[] => {
    const name = JSON.stringify([host, index]);
    const known = lanes.get(name) ?? [];
    lanes.set(name, known);
    return known;
  };
  for (const clip of clips) laneAt(clip.host, clip.lane).push(clip);
  for (const index of Object.keys(edits.tracks ?? {})) laneAt("", Number(index));
  return [...lanes]
    .map(([name, clips]) => {
      const [host, index] = JSON.parse(name) as [string, number];
      return { host, index, clips };
    })
    .sort((one, other) => order(one.host, other.host) || one.index - other.index);
}

function order(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
