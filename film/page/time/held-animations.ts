/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { AnimationEvents, type HeardEvents } from "./animation-events.ts";
import type { Agenda } from "./clock.ts";
import {
  type EffectTiming,
  nextBoundary,
  Playback,
  type Progress,
  progressAt,
} from "./playback.ts";

/**
 * CSS animations, transitions and Web Animations of all documents and shadow roots of a page. The
 * browser's own are paused and put where they belong; how they play is ours, and so are their
 * events and promises.
 *
 * 1. Only animations of a document's timeline are held. Those of scroll and view timelines, and of
 *    none, are the browser's.
 * 2. What is there when the film begins counts from its clip's start, what comes later from then.
 * 3. Events are dispatched at their own times, and only when a script listens.
 */
export interface Held {
  readonly animation: Animation;
  readonly playback: Playback;
  place: Place;
  /** The progress up to which events were dispatched. */
  told: Progress;
  isFinishTold: boolean;
  finished: Settling | undefined;
  /** Whether a script waits for the animation's end. */
  isAwaited: boolean;
  /** Whether scripts control the animation, so that its style no longer does. */
  isScripted: boolean;
  /** Whether its author paused it, expecting the film to seek it. */
  isSought: boolean;
}

/** Time of an element's surroundings: when it began in the film's time, and how fast it runs. */
export interface Place {
  readonly startMs: number;
  readonly rate: number;
}

export interface Settling {
  readonly promise: Promise<Animation>;
  readonly resolve: (animation: Animation) => void;
  readonly reject: (fault: unknown) => void;
}

/** The browser's own methods, saved by the page's first script before any other ran. */
export interface AnimationNatives {
  readonly pause: (animation: Animation) => void;
  readonly finish: (animation: Animation) => void;
  readonly cancel: (animation: Animation) => void;
  readonly state: (animation: Animation) => AnimationPlayState;
  readonly time: (animation: Animation) => CSSNumberish | null;
  readonly seek: (animation: Animation, time: number) => void;
  readonly setRate: (animation: Animation, rate: number) => void;
}

type PlaceFor = (target: Element | undefined, isStyled: boolean) => Place;

const whole: Place = { startMs: 0, rate: 1 };

export class HeldAnimations implements Agenda {
  private readonly natives: AnimationNatives;
  private readonly events: AnimationEvents;
  private readonly roots: () => readonly (Document | ShadowRoot)[];
  private readonly now: () => number;
  private readonly known = new WeakMap<Animation, Held>();
  private readonly live = new Set<Held>();
  private placeFor: PlaceFor | undefined;
  /** Whether animations that are paused are played by the page's author. */
  private isPauseMeant = false;

  constructor(
    natives: AnimationNatives,
    heard: HeardEvents,
    roots: () => readonly (Document | ShadowRoot)[],
    now: () => number,
  ) {
    this.natives = natives;
    this.events = new AnimationEvents(heard);
    this.roots = roots;
    this.now = now;
  }

  /** Begins when the clips are known: what exists now counts from their starts. */
  begin(placeFor: PlaceFor, isPauseMeant: boolean): void {
    this.isPauseMeant = isPauseMeant;
    this.discover(() => true);
    this.placeFor = placeFor;
    for (const held of this.live) {
      held.place = this.place(held.animation);
      held.playback.rebase(0);
      if (this.getState(held) === "paused" && !isPauseMeant) this.seekLater(held);
    }
    this.pose();
  }

  /** Takes over new animations; `isArrived`: the element's clip was not laid out before. */
  discover(isArrived: (target: Element) => boolean): void {
    for (const root of this.roots())
      for (const animation of root.getAnimations()) {
        const isNew = !this.known.has(animation);
        const held = this.find(animation, isArrived);
        if (held === undefined) continue;
        this.live.add(held);
        if (!isNew && this.isPauseMeant) this.followStyle(held);
      }
    for (const held of this.live) {
      const state = this.natives.state(held.animation);
      if (state === "idle") this.drop(held);
      else if (state === "finished" && held.told.phase === "after") this.live.delete(held);
    }
  }

  /** Finds or takes over an animation; `undefined` for one of another timeline. */
  find(
    animation: Animation,
    isArrived: (target: Element) => boolean = () => false,
  ): Held | undefined {
    const known = this.known.get(animation);
    if (known !== undefined) return known;
    if (!isOfDocument(animation)) return undefined;
    return this.take(animation, isArrived);
  }

  /** Sets the animation to its state at the current time. */
  poseOne(held: Held): void {
    const time = this.getTime(held);
    const { animation } = held;
    if (time === undefined) return;
    const shown = Math.min(Math.max(0, time), computeEnd(animation));
    if (this.natives.time(animation) !== shown) this.natives.seek(animation, shown);
    // The style's next change starts from this end only if the browser knows that it was reached.
    if (isTransition(animation) && !held.isAwaited && this.isOver(held))
      this.natives.finish(animation);
  }

  pose(): void {
    for (const held of this.live) this.poseOne(held);
  }

  getTime({ playback, place, animation }: Held): number | undefined {
    return playback.at(this.computeClock(place), computeEnd(animation));
  }

  getState({ playback, place, animation, isSought }: Held): AnimationPlayState {
    if (isSought) return "paused";
    return playback.state(this.computeClock(place), computeEnd(animation));
  }

  isOver({ playback, place, animation }: Held): boolean {
    return playback.isOver(this.computeClock(place), computeEnd(animation));
  }

  /** Returns the time of the animation's surroundings. */
  localTime({ place }: Held): number {
    return this.computeClock(place);
  }

  /** Called when a script has changed how the animation plays. */
  change(held: Held): void {
    held.isScripted = true;
    this.live.add(held);
    this.natives.setRate(held.animation, held.playback.rate);
    const isOver = this.isOver(held);
    if (!isOver && held.isFinishTold) {
      held.isFinishTold = false;
      held.finished = undefined;
    }
    this.poseOne(held);
  }

  cancel(held: Held): void {
    held.playback.cancel();
    this.natives.cancel(held.animation);
    this.drop(held);
  }

  nextMs(): number | undefined {
    let next: number | undefined;
    for (const held of this.live) {
      const due = this.dueMs(held);
      if (due !== undefined && (next === undefined || due < next)) next = due;
    }
    return next;
  }

  run(): void {
    for (const held of [...this.live]) {
      if (this.events.isHeard) this.tellProgress(held);
      this.tellFinish(held);
    }
  }

  /** Notes the progress so far, so that earlier events are not dispatched to a later listener. */
  beginHearing(): void {
    if (this.events.isHeard || this.placeFor === undefined) return;
    for (const held of this.live) held.told = this.getProgress(held);
  }

  private take(animation: Animation, isArrived: (target: Element) => boolean): Held {
    const { natives } = this;
    const state = natives.state(animation);
    const time = Number(natives.time(animation) ?? 0);
    const playback = new Playback();
    const held: Held = {
      animation,
      playback,
      place: this.place(animation),
      told: { phase: "idle", iteration: 0 },
      isFinishTold: false,
      finished: undefined,
      isAwaited: false,
      isScripted: false,
      isSought: false,
    };
    this.known.set(animation, held);
    playback.rate = animation.playbackRate;
    if (state === "idle") return held;
    const target = getTarget(animation);
    const isFirst =
      this.placeFor === undefined ||
      (isStyled(animation) && target !== undefined && isArrived(target));
    const since = isFirst ? 0 : this.computeClock(held.place);
    playback.play(since, computeEnd(animation));
    if (state === "paused") {
      playback.pause(since, computeEnd(animation));
      if (!isStyled(animation)) playback.seek(time, since);
      if (this.placeFor !== undefined && !this.isPauseMeant) this.seekLater(held);
    }
    natives.pause(animation);
    this.live.add(held);
    this.poseOne(held);
    return held;
  }

  /** Seeks a paused animation with the film, as HyperFrames does. */
  private seekLater(held: Held): void {
    if (held.isSought) return;
    held.playback.seek(0, 0);
    held.playback.play(0, computeEnd(held.animation));
    held.isSought = true;
  }

  /** Applies `animation-play-state`, until scripts play the animation themselves. */
  private followStyle(held: Held): void {
    const { animation, playback } = held;
    if (held.isScripted || !("animationName" in animation)) return;
    const target = getTarget(animation);
    if (target === undefined) return;
    const style = getComputedStyle(target, getPseudo(animation));
    const names = style.animationName.split(/,\s*/);
    const states = style.animationPlayState.split(/,\s*/);
    const at = names.lastIndexOf(String(animation.animationName));
    if (at < 0) return;
    const isPaused = states[at % states.length] === "paused";
    const [now, end] = [this.computeClock(held.place), computeEnd(animation)];
    const isStanding = playback.state(now, end) === "paused";
    if (isPaused && !isStanding) playback.pause(now, end);
    if (!isPaused && isStanding) playback.play(now, end);
  }

  private drop(held: Held): void {
    this.live.delete(held);
    const before = held.told;
    held.told = { phase: "idle", iteration: 0 };
    held.playback.cancel();
    if (this.events.isHeard) this.events.tell(held.animation, before, held.told);
    // A script that has kept the animation may run it again.
    this.known.delete(held.animation);
    if (held.finished !== undefined && !held.isFinishTold)
      held.finished.reject(new DOMException("The animation was canceled.", "AbortError"));
    if (held.isAwaited) this.events.tellPlayback(held.animation, "cancel", null, this.now());
  }

  private tellProgress(held: Held): void {
    const progress = this.getProgress(held);
    const before = held.told;
    held.told = progress;
    this.events.tell(held.animation, before, progress);
  }

  private tellFinish(held: Held): void {
    if (held.isFinishTold || !held.isAwaited || !this.isOver(held)) return;
    held.isFinishTold = true;
    held.finished?.resolve(held.animation);
    const time = this.getTime(held) ?? null;
    this.events.tellPlayback(held.animation, "finish", time, this.now());
  }

  private dueMs(held: Held): number | undefined {
    const { isHeard } = this.events;
    if (this.placeFor === undefined || !(isHeard || held.isAwaited)) return undefined;
    const { playback, place, animation } = held;
    const now = this.now();
    if (held.isAwaited && !held.isFinishTold && this.isOver(held)) return now;
    if (isHeard && !isSame(held.told, this.getProgress(held))) return now;
    const time = this.getTime(held);
    if (time === undefined) return undefined;
    const boundary = nextBoundary(time, getTiming(animation), playback.rate);
    const reached = boundary === undefined ? undefined : playback.reaches(boundary);
    if (reached === undefined) return undefined;
    return Math.max(now, place.startMs + reached / place.rate);
  }

  private getProgress(held: Held): Progress {
    return progressAt(this.getTime(held), getTiming(held.animation), held.playback.rate);
  }

  private place(animation: Animation): Place {
    return this.placeFor?.(getTarget(animation), isStyled(animation)) ?? whole;
  }

  private computeClock({ startMs, rate }: Place): number {
    return (this.now() - startMs) * rate;
  }
}

function isSame(one: Progress, other: Progress): boolean {
  return one.phase === other.phase && one.iteration === other.iteration;
}

/** Checks members, because pages in frames have classes of their own. */
export function getTarget({ effect }: Animation): Element | undefined {
  if (effect === null || !("target" in effect)) return undefined;
  return (effect as KeyframeEffect).target ?? undefined;
}

export function getPseudo({ effect }: Animation): string {
  if (effect === null || !("pseudoElement" in effect)) return "";
  return (effect as KeyframeEffect).pseudoElement ?? "";
}

export function isStyled(animation: Animation): boolean {
  return "animationName" in animation;
}

function isTransition(animation: Animation): boolean {
  return "transitionProperty" in animation;
}

function isOfDocument({ timeline, effect }: Animation): boolean {
  if (timeline === null || effect === null) return false;
  return !("source" in timeline) && !("subject" in timeline);
}

/** When the effect ends, in milliseconds; infinite for an endless one. */
export function computeEnd({ effect }: Animation): number {
  return Number(effect?.getComputedTiming().endTime ?? 0);
}

function getTiming({ effect }: Animation): EffectTiming {
  const {
    delay = 0,
    duration,
    iterations = 1,
    iterationStart = 0,
    endTime,
  } = effect?.getComputedTiming() ?? {};
  return {
    delay,
    duration: typeof duration === "number" ? duration : 0,
    iterations,
    iterationStart,
    end: Number(endTime ?? 0),
  };
}
