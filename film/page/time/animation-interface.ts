/// <reference lib="dom" />
import { type HeardEvents, isAnimationEvent } from "./animation-events.ts";
import {
  type AnimationNatives,
  computeEnd,
  type Held,
  type HeldAnimations,
} from "./held-animations.ts";
import { replace } from "./replace.ts";

type View = Window & typeof globalThis;

/** Replaces the Web Animations API of a window, so that animations follow the film's time. */
export function takeAnimations(view: View, held: HeldAnimations, heard: HeardEvents): void {
  const { prototype } = view.Animation;
  takeMethods(prototype, held);
  takeProperties(prototype, held);
  takeCallbacks(prototype, held);
  takeListeners(view, held, heard);
  const { animate } = view.Element.prototype;
  replace(view.Element.prototype, "animate", function (this: Element, ...values: unknown[]) {
    const animation: Animation = Reflect.apply(animate, this, values);
    held.find(animation);
    return animation;
  });
}

function takeMethods(prototype: Animation, held: HeldAnimations): void {
  const method = (name: string, act: (one: Held, value: number) => void): void => {
    const real: unknown = Reflect.get(prototype, name);
    if (typeof real !== "function") return;
    replace(prototype, name, function (this: Animation, ...values: number[]) {
      const one = held.find(this);
      if (one === undefined) return Reflect.apply(real, this, values);
      act(one, values[0] ?? 1);
      return undefined;
    });
  };
  const createPlayback = (act: (one: Held, now: number, end: number) => void) => {
    return (one: Held): void => {
      one.isSought = false;
      act(one, held.localTime(one), computeEnd(one.animation));
      held.change(one);
    };
  };
  method(
    "play",
    createPlayback(({ playback }, now, end) => playback.play(now, end)),
  );
  method(
    "pause",
    createPlayback(({ playback }, now, end) => playback.pause(now, end)),
  );
  method(
    "finish",
    createPlayback(({ playback }, now, end) => playback.finish(now, end)),
  );
  method(
    "reverse",
    createPlayback(({ playback }, now, end) => {
      playback.setRate(-playback.rate, now, end);
      playback.play(now, end);
    }),
  );
  method("cancel", (one) => held.cancel(one));
  method("updatePlaybackRate", (one, rate) => setRate(one, Number(rate), held));
}

function setRate(one: Held, rate: number, held: HeldAnimations): void {
  one.playback.setRate(rate, held.localTime(one), computeEnd(one.animation));
  held.change(one);
}

function takeProperties(prototype: Animation, held: HeldAnimations): void {
  const property = (
    name: string,
    read: (one: Held) => unknown,
    write?: (one: Held, value: unknown) => void,
  ): void => {
    const real = Object.getOwnPropertyDescriptor(prototype, name);
    if (real === undefined) return;
    Object.defineProperty(prototype, name, {
      ...real,
      get(this: Animation) {
        const one = held.find(this);
        return one === undefined ? Reflect.apply(real.get ?? nothing, this, []) : read(one);
      },
      set(this: Animation, value: unknown) {
        const one = write === undefined ? undefined : held.find(this);
        if (one === undefined) Reflect.apply(real.set ?? nothing, this, [value]);
        else write?.(one, value);
      },
    });
  };
  property(
    "playbackRate",
    ({ playback }) => playback.rate,
    (one, rate) => setRate(one, Number(rate), held),
  );
  property("playState", (one) => held.getState(one));
  property("pending", () => false);
  property("ready", ({ animation }) => Promise.resolve(animation));
  property("finished", (one) => awaitFinish(one, held));
  property(
    "currentTime",
    (one) => held.getTime(one) ?? null,
    (one, time) => {
      one.isSought = false;
      if (time === null) return held.cancel(one);
      one.playback.seek(Number(time), held.localTime(one));
      held.change(one);
    },
  );
  property(
    "startTime",
    ({ playback }) => playback.start() ?? null,
    (one, time) => {
      one.isSought = false;
      const now = held.localTime(one);
      if (time === null) one.playback.pause(now, computeEnd(one.animation));
      else one.playback.startAt(Number(time), now);
      held.change(one);
    },
  );
}

/** A script that sets one of these waits for the animation's end. */
function takeCallbacks(prototype: Animation, held: HeldAnimations): void {
  for (const name of ["onfinish", "oncancel"]) {
    const real = Object.getOwnPropertyDescriptor(prototype, name);
    if (real === undefined) continue;
    Object.defineProperty(prototype, name, {
      ...real,
      set(this: Animation, value: unknown) {
        expectEnd(held.find(this));
        Reflect.apply(real.set ?? nothing, this, [value]);
      },
    });
  }
}

const nothing = (): undefined => undefined;

function expectEnd(one: Held | undefined): void {
  if (one !== undefined) one.isAwaited = true;
}

function awaitFinish(one: Held, held: HeldAnimations): Promise<Animation> {
  const { animation } = one;
  one.isAwaited = true;
  if (one.finished !== undefined) return one.finished.promise;
  if (one.isFinishTold && held.isOver(one)) return Promise.resolve(animation);
  let settle: Omit<NonNullable<Held["finished"]>, "promise"> | undefined;
  const promise = new Promise<Animation>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // A script that does not await the promise need not learn that it was canceled.
  promise.catch(nothing);
  if (settle !== undefined) one.finished = { promise, ...settle };
  return promise;
}

/** Notes what scripts listen to, and hides from them the events of the browser's own time. */
function takeListeners(view: View, held: HeldAnimations, heard: HeardEvents): void {
  const note = (type: string): void => {
    if (!heard.has(type) && isAnimationEvent(type)) {
      held.beginHearing();
      heard.add(type);
    }
  };
  const { addEventListener } = view.EventTarget.prototype;
  replace(
    view.EventTarget.prototype,
    "addEventListener",
    function (this: EventTarget | undefined, ...values: unknown[]) {
      const type = String(values[0]);
      note(type);
      if (this instanceof view.Animation) expectEnd(held.find(this));
      return Reflect.apply(addEventListener, this ?? view, values);
    },
  );
  const owners = [view.HTMLElement, view.SVGElement, view.MathMLElement, view.Document];
  for (const owner of [view, ...owners.map(({ prototype }) => prototype)])
    for (const [name, real] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      const type = name.slice(2);
      if (!name.startsWith("on") || !isAnimationEvent(type) || real.set === undefined) continue;
      const { set } = real;
      Object.defineProperty(owner, name, {
        ...real,
        set(this: unknown, value: unknown) {
          note(type);
          Reflect.apply(set, this, [value]);
        },
      });
    }
  muteNative(view, (type, listener) =>
    Reflect.apply(addEventListener, view, [type, listener, true]),
  );
}

/** The events that a browser dispatches by its own clock. */
const nativeTypes = [
  ...["animationstart", "animationiteration", "animationend", "animationcancel"],
  ...["transitionrun", "transitionstart", "transitionend", "transitioncancel"],
];

/** Mutes the browser's own events; calls `listen` for each kind, before the page can listen. */
export function muteNative(
  view: View,
  listen: (type: string, listener: (event: Event) => void) => void,
): void {
  const mute = (event: Event): void => {
    if (event.isTrusted && !isForeign(event, view)) event.stopImmediatePropagation();
  };
  for (const type of nativeTypes) listen(type, mute);
}

/** Whether the event is of an animation driven by a scroll or view, which the browser plays. */
function isForeign(event: Event, view: View): boolean {
  const { target } = event;
  if (!(target instanceof view.Element)) return false;
  const name: unknown = Reflect.get(event, "animationName");
  return target
    .getAnimations()
    .some(
      (animation) =>
        "animationName" in animation &&
        animation.animationName === name &&
        !(animation.timeline instanceof view.DocumentTimeline),
    );
}

/** Returns the browser's own methods, as they are before this window's are replaced. */
export function animationNatives(view: View): AnimationNatives {
  const { prototype } = view.Animation;
  const { pause, finish, cancel } = prototype;
  const accessor = (name: string) => Object.getOwnPropertyDescriptor(prototype, name);
  const [state, time, rate] = ["playState", "currentTime", "playbackRate"].map(accessor);
  const read = (of: PropertyDescriptor | undefined, animation: Animation) =>
    Reflect.apply(of?.get ?? nothing, animation, []);
  const write = (of: PropertyDescriptor | undefined, animation: Animation, value: number) =>
    Reflect.apply(of?.set ?? nothing, animation, [value]);
  return {
    pause: (animation) => pause.call(animation),
    finish: (animation) => finish.call(animation),
    cancel: (animation) => cancel.call(animation),
    state: (animation) => read(state, animation),
    time: (animation) => read(time, animation),
    seek: (animation, value) => write(time, animation, value),
    setRate: (animation, value) => write(rate, animation, value),
  };
}
