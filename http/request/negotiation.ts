/** Content negotiation by `Accept` (RFC 9110, section 12.5.1), where a route has two forms. */
import { RefusalError } from "../problems/refusal-error.ts";

interface Range {
  readonly type: string;
  readonly quality: number;
}

/**
 * The form that is wanted most, the first of `offered` when nothing else is said. Throws
 * `RefusalError` with 406 when none would do.
 */
export function negotiated<T extends string>(accept: string | undefined, offered: readonly T[]): T {
  const [first] = offered;
  if (first === undefined) throw new RefusalError({ code: "not_acceptable" });
  if (accept === undefined || accept.trim() === "") return first;
  const ranges = accept.split(",").map(rangeOf);
  let best = first;
  let bestQuality = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality <= bestQuality) continue;
    best = type;
    bestQuality = quality;
  }
  if (bestQuality === 0) throw new RefusalError({ code: "not_acceptable" });
  return best;
}

function rangeOf(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: Number.isFinite(quality) ? quality : 0 };
}

/** The most specific range decides. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const [kind = ""] = type.split("/");
  for (const wanted of [type, `${kind}/*`, "*/*"]) {
    const found = ranges.find((range) => range.type === wanted);
    if (found !== undefined) return found.quality;
  }
  return 0;
}
