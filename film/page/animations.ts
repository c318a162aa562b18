/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** CSS animations, transitions, Web Animations and SVG's own, held at one instant. */
/** Seconds since what holds the element began. */
export type TimeOf = (target: Element | undefined, isStyled: boolean) => number;

const births = new WeakMap<Animation, number>();
const held = new WeakSet<Animation>();

/** Whether what runs on the target was to run from the start of what holds it. */
export type IsAtFirst = (target: Element | undefined) => boolean;

export function holdAnimations(timeOf: TimeOf, seconds: number, isAtFirst: IsAtFirst): void {
  for (const root of documents(document)) {
    for (const animation of root.getAnimations()) hold(animation, timeOf, seconds, isAtFirst);
    for (const drawing of root.querySelectorAll("svg"))
      if (
        drawing.ownerSVGElement === null &&
        drawing.querySelector("animate,animateTransform,animateMotion,set")
      ) {
        drawing.pauseAnimations();
        drawing.setCurrentTime(Math.max(0, timeOf(drawing, true)));
      }
  }
}

function hold(animation: Animation, timeOf: TimeOf, seconds: number, isAtFirst: IsAtFirst): void {
  const { effect } = animation;
  const target = effect instanceof KeyframeEffect ? (effect.target ?? undefined) : undefined;
  if (!held.has(animation)) {
    held.add(animation);
    animation.pause();
    // What begins on the way begins when it is first seen.
    if (!isAtFirst(target)) births.set(animation, seconds);
  }
  const birth = births.get(animation);
  const age =
    birth === undefined ? timeOf(target, animation instanceof CSSAnimation) : seconds - birth;
  const end = Number(effect?.getComputedTiming().endTime ?? 0);
  const time = Math.min(Math.max(0, age) * 1_000, end);
  if (animation.currentTime !== time) animation.currentTime = time;
}

/** The page and the pages in it, as far as they are the bundle's. */
export function documents(from: Document): readonly Document[] {
  const inner = [...from.querySelectorAll("iframe")].flatMap((frame) =>
    frame.contentDocument === null ? [] : documents(frame.contentDocument),
  );
  return [from, ...inner];
}
