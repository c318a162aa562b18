/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { keyAttribute } from "../../timeline/key-attribute.ts";
import { type Composition, frameFrom } from "../../timeline/model.ts";
import type { FilmPlan } from "./plan.ts";
import type { ShownClip } from "./shown-clips.ts";

/**
 * Timed elements that scripts created and the markup lacks; they are shown for their time like the
 * others. Media elements are left out: media has to be known before the page is.
 */
export function makeClips({ compositions, fps }: FilmPlan): readonly ShownClip[] {
  const byKey = new Map(compositions.map((one) => [one.key, one]));
  const made = document.querySelectorAll<HTMLElement>(`[data-start]:not([${keyAttribute}])`);
  return [...made].slice(0, madeMax).flatMap((element, index): ShownClip[] => {
    const composition = findComposition(element, byKey);
    const own = Number(element.dataset["start"] || Number.NaN);
    if (composition === undefined || !Number.isFinite(own)) return [];
    if (element instanceof HTMLMediaElement) return [];
    const length = Number(element.dataset["duration"] || Number.NaN);
    const start = Math.max(composition.start, inFilm(own, composition));
    const end = length > 0 ? inFilm(own + length, composition) : Number.MAX_SAFE_INTEGER;
    return [
      {
        element,
        plan: {
          key: `made/${index}`,
          kind: "element",
          composition: composition.key,
          isShown: true,
          start,
          from: frameFrom(start, fps),
          to: frameFrom(Math.min(end, composition.end ?? end), fps),
          motion: [],
          transform: undefined,
          mask: undefined,
          size: undefined,
          imageUrl: undefined,
        },
      },
    ];
  });
}

const madeMax = 5_000;

function findComposition(
  element: Element,
  byKey: ReadonlyMap<string, Composition>,
): Composition | undefined {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    const found = byKey.get(at.getAttribute(keyAttribute) ?? "-");
    if (found !== undefined) return found;
    if (at.hasAttribute("data-composition-id")) break;
  }
  return byKey.get("");
}

function inFilm(seconds: number, { start, offset, rate }: Composition): number {
  return start + (seconds - offset) / rate;
}
