import type { Clip } from "../model.ts";
import { type EditList, type EditMarker, editFps } from "./edit-list.ts";
import { layTexts } from "./edit-texts.ts";
import type { ExportSource } from "./export-source.ts";
import { LutBook } from "./luts.ts";
import { getName } from "./names.ts";
import { Notes } from "./notes.ts";
import { layPictures } from "./pictures.ts";
import { laySounds } from "./sounds.ts";
import { Sources } from "./sources.ts";
import { getSourceLength } from "./spans.ts";
import { packTracks, stackTracks } from "./tracks.ts";

/**
 * One function from the effective timeline to the list that every format is written from. Pure.
 *
 * 1. Whatever is not in the list is named in its warnings.
 * 2. Times are rounded to the nearest frame; the ends of clips that touch still touch.
 */
export function compileEditList(source: ExportSource): EditList {
  const { timeline, measurement, name, compositionId } = source;
  const notes = new Notes();
  const sources = new Sources(source.stored, measurement?.media ?? {});
  noteTimeline(source, notes);
  const markers = listMarkers(source, notes);
  const luts = new LutBook();
  const pictures = layPictures(source, sources, luts, notes);
  const texts = layTexts(source, notes);
  const sounds = laySounds(source, sources, notes);
  const getLane = (lane: string) => {
    const track = timeline.tracks.find(({ index }) => lane === ` ${index}`);
    return { isEnabled: track?.isEnabled ?? true, isLocked: track?.isLocked ?? false };
  };
  const getSoundLane = (lane: string) => {
    const track = timeline.tracks.find(({ index }) => lane === ` ${index}`);
    const { isEnabled, isLocked } = getLane(lane);
    return { isEnabled: isEnabled && track?.isMuted !== true, isLocked };
  };
  return {
    name,
    compositionId,
    width: timeline.width,
    height: timeline.height,
    frames: countFrames(source, [...pictures, ...texts.clips, ...sounds]),
    pictures: [...stackTracks(pictures, getLane), ...stackTracks(texts.clips, getLane)],
    sounds: packTracks(sounds, getSoundLane),
    media: sources.listUsed(),
    texts: texts.texts,
    luts: luts.all(),
    markers,
    warnings: notes.all(),
  };
}

function countFrames(
  { timeline, measurement }: ExportSource,
  clips: readonly { readonly end: number }[],
): number {
  const seconds = timeline.duration ?? measurement?.duration;
  if (seconds !== undefined) return Math.max(1, Math.round(seconds * editFps));
  return Math.max(1, ...clips.map(({ end }) => end));
}

/** Notes what the timeline itself reports, and what the page draws by itself. */
function noteTimeline({ timeline, measurement }: ExportSource, notes: Notes): void {
  for (const { message, severity } of timeline.diagnostics)
    if (severity === "warning") notes.add(message);
  for (const warning of measurement?.warnings ?? []) notes.add(warning);
  if (Math.abs(timeline.fps - editFps) > 1e-9)
    notes.add(
      `the composition has ${timeline.fps} frames a second and the export ${editFps}; times are rounded to its frames`,
    );
}

/** Marks what the page draws itself: the export has only its time. */
function listMarkers({ timeline, measurement }: ExportSource, notes: Notes): readonly EditMarker[] {
  const length = getSourceLength(timeline, measurement);
  return timeline.clips.flatMap((clip) => {
    const sentence = sentences[clip.kind];
    if (sentence === undefined) return [];
    const name = getName(clip);
    const start = Math.round(Math.max(0, clip.start) * editFps);
    const end = Math.round((clip.end ?? length ?? clip.start) * editFps);
    if (end <= start || !clip.isShown) {
      notes.add(`${name} is not shown and is left out`);
      return [];
    }
    notes.add(`${name} ${sentence}`);
    return [{ name, start, end }];
  });
}

const sentences: Readonly<Partial<Record<Clip["kind"], string>>> = {
  composition:
    "is a composition of its own: its media stand on tracks of their own, " +
    "and of what its page draws only a marker",
  element: "is drawn by the page (HTML, CSS, scripts): only a marker stands for it",
};
