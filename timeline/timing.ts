import { plainNumber } from "./attributes.ts";
import type { Findings } from "./diagnostics.ts";
import { epsilon } from "./model.ts";
import type { Scene, WrittenClip } from "./scene.ts";

/** A span in the seconds of the clip's own scene; `end` is undefined when it is not stated. */
export interface Span {
  readonly start: number;
  readonly end: number | undefined;
}

export type LengthOf = (clip: WrittenClip) => number | undefined;

interface Reference {
  readonly id: string;
  readonly offset: number;
}

/**
 * Resolves starts that name another clip's end. A start that leads back to itself is an error and
 * read as 0.
 */
export function resolveSpans(
  scene: Scene,
  lengthOf: LengthOf,
  findings: Findings,
): ReadonlyMap<WrittenClip, Span> {
  const clipsById = new Map<string, WrittenClip>();
  for (const clip of scene.clips)
    if (clip.id !== "" && !clipsById.has(clip.id)) clipsById.set(clip.id, clip);
  const spans = new Map<WrittenClip, Span>();
  const underWay = new Set<WrittenClip>();
  const computeSpan = (clip: WrittenClip): Span => {
    const known = spans.get(clip);
    if (known !== undefined) return known;
    underWay.add(clip);
    const start = computeStart(
      clip,
      clipsById,
      (other) => {
        if (!underWay.has(other)) return computeSpan(other).end;
        const place = { path: clip.path, element: clip.read.element, attribute: "data-start" };
        findings.error("start_cycle", place, `waits for itself by way of "${other.id}"`);
        return 0;
      },
      findings,
    );
    underWay.delete(clip);
    const span = { start, end: computeEnd(clip, start, lengthOf) };
    spans.set(clip, span);
    return span;
  };
  for (const clip of scene.clips) computeSpan(clip);
  return spans;
}

function computeStart(
  clip: WrittenClip,
  clipsById: ReadonlyMap<string, WrittenClip>,
  endOfOther: (clip: WrittenClip) => number | undefined,
  findings: Findings,
): number {
  if (clip.edit.start !== undefined) return clip.edit.start;
  const text = clip.read.text("data-start");
  if (text === undefined) return 0;
  const number = plainNumber(text);
  if (number !== undefined) return number;
  const place = { path: clip.path, element: clip.read.element, attribute: "data-start" };
  const reference = referenceIn(text, clipsById);
  const other = reference && clipsById.get(reference.id);
  if (reference === undefined || other === undefined) {
    const says = `is "${text.slice(0, 60)}", which is neither a time nor a clip beside it`;
    findings.error("unknown_reference", place, says);
    return 0;
  }
  const end = endOfOther(other);
  if (end !== undefined) return end + reference.offset;
  findings.error("unknown_reference", place, `waits for "${reference.id}", whose end is not known`);
  return 0;
}

/** Reads a reference; identifiers may hold hyphens, so a clip of exactly that name comes first. */
function referenceIn(
  text: string,
  clipsById: ReadonlyMap<string, WrittenClip>,
): Reference | undefined {
  if (clipsById.has(text)) return { id: text, offset: 0 };
  const sign = Math.max(text.lastIndexOf("+"), text.lastIndexOf("-"));
  if (sign <= 0) return undefined;
  const seconds = plainNumber(text.slice(sign + 1).trim());
  const id = text.slice(0, sign).trim();
  if (seconds === undefined) return undefined;
  return { id, offset: text[sign] === "-" ? -seconds : seconds };
}

function computeEnd(clip: WrittenClip, start: number, lengthOf: LengthOf): number | undefined {
  const { edit, read } = clip;
  const duration = edit.duration ?? read.span("data-duration");
  if (duration !== undefined) return start + duration;
  const end = read.number("data-end");
  if (end !== undefined) {
    read.warn("alias", "data-end", "is an old name; write data-duration");
    if (end > start) return end;
  }
  const length = lengthOf(clip);
  return length === undefined ? undefined : start + length;
}

/** Returns the latest end of a clip in the scene, as far as there is one. */
export function latestEnd(spans: Iterable<readonly [WrittenClip, Span]>): number | undefined {
  let latest: number | undefined;
  for (const [clip, { end }] of spans)
    if (!clip.isDeleted && end !== undefined) latest = Math.max(latest ?? 0, end);
  return latest;
}

/** Warns of clips of one lane that are shown at once. */
export function warnOfOverlaps(
  lanes: ReadonlyMap<number, readonly (readonly [WrittenClip, Span])[]>,
  findings: Findings,
): void {
  for (const [index, clips] of lanes) {
    const ordered = [...clips].sort(([, one], [, other]) => one.start - other.start);
    let last: readonly [WrittenClip, Span] | undefined;
    for (const entry of ordered) {
      const [clip, { start, end = Infinity }] = entry;
      if (last !== undefined && start < (last[1].end ?? Infinity) - epsilon) {
        const place = {
          path: clip.path,
          element: clip.read.element,
          attribute: "data-track-index",
        };
        const other = last[0].id || last[0].read.element.tag;
        findings.addWarning(
          "overlap",
          place,
          `overlaps "${other}" on track ${index}; both are shown`,
        );
      }
      if (last === undefined || end > (last[1].end ?? Infinity)) last = entry;
    }
  }
}
