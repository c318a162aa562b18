/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Composition } from "../../timeline/model.ts";
import type { FilmPlan, FilmWindow } from "./plan.ts";
import { type ShownClip, showAt } from "./shown-clips.ts";
import { rulesIn } from "./style-rules.ts";
import type { Place } from "./time/held-animations.ts";
import { findTimeline, hasTimelines, seekOthers, seekTimeline, wakeTimeline } from "./timelines.ts";

/**
 * A film's page at one of its frames: timelines, what other libraries registered, clips, and the
 * time of everything else.
 *
 * A page that is led to a frame is as if it had been watched until then. Frames between are left
 * out only while nothing can happen in them.
 */
declare const window: FilmWindow;

export interface HeldFilm {
  readonly plan: HeldPlan;
  readonly clips: readonly ShownClip[];
  readonly compositionsByKey: ReadonlyMap<string, Composition>;
  readonly clipsByElement: ReadonlyMap<Element, ShownClip>;
  /** Whether seeking a timeline may start a transition or animation that then takes time. */
  readonly isStepped: boolean;
  /** When the page appeared, in the film's time. */
  readonly firstMs: number;
  frame: number;
}

export type HeldPlan = Pick<FilmPlan, "fps" | "compositions">;

/** Polls, because a page that tries to navigate while it loads gets no `load` event. */
export async function awaitPage(): Promise<void> {
  while (document.readyState !== "complete")
    await new Promise<void>((resolve) => window.__kliegClock.soon(resolve, 4));
}

/** Starts at the page's first frame, which is the film's unless the page appeared later. */
export function beginFilm(plan: HeldPlan, clips: readonly ShownClip[], firstMs = 0): HeldFilm {
  const film: HeldFilm = {
    plan,
    clips,
    compositionsByKey: new Map(plan.compositions.map((one) => [one.key, one])),
    clipsByElement: new Map(clips.map((clip) => [clip.element, clip])),
    isStepped: hasTimelines() && speaks(/\btransition|\banimation/i),
    firstMs,
    frame: Math.ceil((firstMs * plan.fps) / 1_000) - 1,
  };
  const time = window.__kliegClock;
  time.restart(firstMs);
  for (const { key } of plan.compositions) wakeTimeline(key);
  seekTimelines(film, 0, true);
  showAt(clips, 0);
  const isPauseMeant = speaks(/\.play\(|currentTime\s*=[^=]|play-?state|\brunning\b/i);
  time.begin((element, isStyled) => placeFor(film, element, isStyled), isPauseMeant);
  return film;
}

/**
 * Moves the page to a frame, by at most `framesMax` frames. A page that is at the frame already
 * stays there: what waits for a frame waits for the next one.
 */
export async function leadTo(
  film: HeldFilm,
  frame: number,
  framesMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  const time = window.__kliegClock;
  const msAt = (at: number): number => (at * 1_000) / film.plan.fps;
  const last = Math.min(frame, film.frame + framesMax);
  for (let at = frame > film.frame ? film.frame + 1 : frame; at <= last; at++) {
    if (!film.isStepped && !time.isBusy(msAt(last))) at = last;
    if (at !== film.frame) await time.advance(msAt(at));
    film.frame = at;
    seekTimelines(film, at, false);
    const arrived = showAt(film.clips, at);
    // What the timelines and clips have triggered runs first.
    await time.calm();
    time.hold((element) => isWithin(element, arrived));
  }
}

export function seekTimelines({ plan }: HeldFilm, frame: number, isFirst: boolean): void {
  const seconds = frame / plan.fps;
  for (const composition of plan.compositions) {
    const { start, end = Number.POSITIVE_INFINITY, offset, rate, key } = composition;
    if (key !== "" && !isFirst && (seconds < start - 1 || seconds > end + 1)) continue;
    const own = offset + (Math.min(seconds, end) - start) * rate;
    // Checked each time, because scripts may register a timeline while the film runs.
    if (findTimeline(composition)) seekTimeline(key, Math.max(0, own));
  }
  seekOthers(seconds);
}

/** Returns the seconds since the clip around an element began. */
export function secondsSince(film: HeldFilm, element: Element, seconds: number): number {
  return seconds - (clipAround(element, film.clipsByElement)?.plan.start ?? 0);
}

/** Animations of styles count from the clip's start, those of scripts from the film's. */
function placeFor(film: HeldFilm, element: Element | undefined, isStyled: boolean): Place {
  const clip = isStyled ? clipAround(element, film.clipsByElement) : undefined;
  const composition = film.compositionsByKey.get(clip?.plan.composition ?? "");
  const startMs = clip === undefined ? film.firstMs : 1_000 * clip.plan.start;
  return { startMs, rate: composition?.rate ?? 1 };
}

function clipAround(
  target: Element | undefined,
  clipsByElement: ReadonlyMap<Element, ShownClip>,
): ShownClip | undefined {
  for (const element of ancestors(target)) {
    const clip = clipsByElement.get(element);
    if (clip !== undefined) return clip;
  }
  return undefined;
}

function isWithin(target: Element, arrived: ReadonlySet<Element>): boolean {
  if (arrived.size === 0) return false;
  for (const element of ancestors(target)) if (arrived.has(element)) return true;
  return false;
}

/** Yields an element and all of its ancestors, across shadow roots too. */
function* ancestors(target: Element | undefined): Generator<Element> {
  for (let at = target; at !== undefined; ) {
    yield at;
    const { parentElement, parentNode } = at;
    const host: unknown = parentNode !== null && "host" in parentNode ? parentNode.host : null;
    at = parentElement ?? (isElement(host) ? host : undefined);
  }
}

/** Also true for an element of a page in a frame, which has a class of its own. */
function isElement(value: unknown): value is Element {
  return typeof value === "object" && value !== null && "parentElement" in value;
}

/** Whether the page's inline styles or scripts, or its sheets, match the pattern. */
export function speaks(of: RegExp): boolean {
  const sheets = window.__kliegClock
    .places()
    .flatMap((place) => [...place.styleSheets, ...place.adoptedStyleSheets]);
  return (
    [...document.scripts].some(({ text }) => of.test(text)) ||
    [...document.querySelectorAll("[style]")].some((one) =>
      of.test(one.getAttribute("style") ?? ""),
    ) ||
    sheets.some((sheet) => rulesIn(sheet).some(({ cssText }) => of.test(cssText)))
  );
}
