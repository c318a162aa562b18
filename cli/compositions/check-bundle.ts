import type { Bundle } from "../../timeline/bundle.ts";
import { missingFonts } from "../../timeline/font-families.ts";
import type { Timeline } from "../../timeline/model.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";

/** The timeline of a bundle on this machine, with all that can be said of it without a farm. */
export function checkBundle(bundle: Bundle): Timeline {
  const timeline = effectiveTimeline(bundle);
  const pages = timeline.compositions.map(({ path }) => path);
  return { ...timeline, diagnostics: [...timeline.diagnostics, ...missingFonts(bundle, pages)] };
}
