import type { Clip } from "../model.ts";
import { type Curve, createFixedCurve } from "./curve.ts";
import { editFps, type SoundClip } from "./edit-list.ts";
import type { ExportSource } from "./export-source.ts";
import { getName } from "./names.ts";
import type { Notes } from "./notes.ts";
import { findMedia } from "./pictures.ts";
import type { Sources } from "./sources.ts";
import { computeSpan, getLane, getSourceLength } from "./spans.ts";
import type { Laid } from "./tracks.ts";

/** Lays out sounds, and videos that have one, in the order of the document. */
export function laySounds(
  { timeline, measurement }: ExportSource,
  sources: Sources,
  notes: Notes,
): readonly Laid<SoundClip>[] {
  const length = getSourceLength(timeline, measurement);
  return timeline.clips.flatMap((clip): Laid<SoundClip>[] => {
    if (clip.kind !== "video" && clip.kind !== "audio") return [];
    const media = findMedia(clip, sources, notes);
    const span = media && computeSpan(clip, media, length);
    if (media === undefined || span === undefined || media.channels === 0) return [];
    if (clip.kind === "audio" && clip.media?.isLooped === true)
      notes.add(`${getName(clip)} plays in a loop; the export plays it once`);
    const { start, from, rate, heldFrom } = span;
    // A held picture has no sound.
    const end = heldFrom === undefined ? span.end : start + heldFrom;
    if (end <= start) return [];
    const sound: SoundClip = {
      name: getName(clip),
      key: clip.key,
      start,
      end,
      isEnabled: clip.isAudible,
      media,
      from,
      rate,
      gain: computeGain(clip, span.end - start, end - start),
    };
    return [{ clip: sound, start, end, lane: getLane(clip), dissolvesFrom: undefined }];
  });
}

/** Makes straight ramps at both ends of the clip, shorter where it has no room for both. */
function computeGain({ media }: Clip, frames: number, played: number): Curve {
  const { volume = 1, fadeIn = 0, fadeOut = 0 } = media ?? {};
  const share = Math.min(1, frames / editFps / (fadeIn + fadeOut));
  const risen = Math.round(fadeIn * share * editFps);
  const falls = frames - Math.round(fadeOut * share * editFps);
  if (risen === 0 && falls === frames) return createFixedCurve(volume);
  const keys = [
    ...(risen > 0 ? [{ frame: 0, value: [0] }] : []),
    { frame: risen, value: [volume] },
    ...(falls > risen && falls < frames ? [{ frame: falls, value: [volume] }] : []),
    ...(falls < frames ? [{ frame: frames, value: [0] }] : []),
  ];
  const kept = keys.filter(({ frame }) => frame <= Math.max(played, risen));
  return { keys: kept };
}
