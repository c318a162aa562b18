import type { TextClip } from "./model.ts";
import type { Overlay } from "./overlay.ts";

/** Collects the texts that the edits add, above everything else, in the order of the list. */
export function collectAddedTexts(
  overlay: Overlay | undefined,
  frameWidth: number,
): readonly TextClip[] {
  return (overlay?.texts ?? [])
    .filter(({ id }) => !(overlay?.deleted ?? []).includes(id))
    .map((text) => {
      const trackIndex = text.track_index ?? 0;
      const isOn = overlay?.tracks?.[trackIndex]?.enabled !== false;
      return {
        id: text.id,
        text: text.text,
        start: text.start,
        end: text.start + text.duration,
        trackIndex,
        isShown: isOn && overlay?.clips?.[text.id]?.hidden !== true && frameWidth > 0,
        x: text.x ?? 0,
        y: text.y ?? 0,
        width: text.width,
        fontFamily: text.font_family ?? "sans-serif",
        fontSize: text.font_size ?? 64,
        fontWeight: text.font_weight ?? 400,
        color: text.color ?? "#ffffff",
        align: text.align ?? "left",
        motion: [...(text.motion ?? [])].sort((one, other) => one.t - other.t),
      };
    });
}
