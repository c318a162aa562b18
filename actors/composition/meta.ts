/** Handles a composition's `meta`: the customer's own JSON, limited in size but not in content. */
import { limits } from "../../config/limits.ts";
import type { Fault } from "../../config/schema.ts";
import type { Meta } from "../protocol/composition.ts";

/** `pointer` is the JSON pointer of the member that holds `meta`, used in the fault. */
export function metaFault(meta: Meta, pointer: string): Fault | undefined {
  const { metaBytesMax, metaDepthMax } = limits.compositions;
  const { series, version } = meta;
  if (measureDepth(meta) > metaDepthMax)
    return { pointer, detail: `is nested deeper than ${metaDepthMax} levels` };
  if (Buffer.byteLength(JSON.stringify(meta)) > metaBytesMax)
    return { pointer, detail: `has more than ${metaBytesMax} bytes` };
  if (
    series !== undefined &&
    (typeof series !== "string" || series.length > limits.compositions.seriesCharsMax)
  )
    return {
      pointer: `${pointer}/series`,
      detail: `must be text of at most ${limits.compositions.seriesCharsMax} characters`,
    };
  if (version !== undefined && typeof version !== "string" && typeof version !== "number")
    return { pointer: `${pointer}/version`, detail: "must be text or a number" };
  return undefined;
}

/** Merges member by member; a null in the patch removes the member. */
export function mergeMeta(meta: Meta, patch: Meta): Meta {
  const merged = Object.entries({ ...meta, ...patch });
  return Object.fromEntries(merged.filter(([name]) => patch[name] !== null));
}

function measureDepth(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const member of Object.values(value)) deepest = Math.max(deepest, measureDepth(member));
  return deepest + 1;
}
