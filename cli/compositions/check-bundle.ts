import type { Bundle } from "../../timeline/bundle.ts";
import { missingFonts } from "../../timeline/font-families.ts";
import type { Timeline } from "../../timeline/model.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";

/** Computes a bundle's timeline here, with all diagnostics that need no farm. */
export function checkBundle(bundle: Bundle): Timeline {
  const timeline = effectiveTimeline(bundle);
  const pages = timeline.compositions.map(({ path }) => path);
  return { ...timeline, diagnostics: [...timeline.diagnostics, ...missingFonts(bundle, pages)] };
}
