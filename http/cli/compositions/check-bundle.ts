import type { Bundle } from "../../../actors/timeline/bundle.ts";
import { missingFonts } from "../../../actors/timeline/font-families.ts";
import type { Timeline } from "../../../actors/timeline/model.ts";
import { effectiveTimeline } from "../../../actors/timeline/timeline.ts";

/** The timeline of a bundle on this machine, with all that can be said of it without a farm. */
export function checkBundle(bundle: Bundle): Timeline {
  const timeline = effectiveTimeline(bundle);
  const pages = timeline.compositions.map(({ path }) => path);
  return { ...timeline, diagnostics: [...timeline.diagnostics, ...missingFonts(bundle, pages)] };
}
