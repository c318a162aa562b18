/// <reference lib="dom" />
import type { Progress } from "./playback.ts";

/** The kinds of animation events to which any script listens. */
export class HeardEvents {
  private readonly types = new Set<string>();

  add(type: string): void {
    this.types.add(type);
  }

  has(type: string): boolean {
    return this.types.has(type);
  }

  get isEmpty(): boolean {
    return this.types.size === 0;
  }
}

const eventTypes = /^(webkit)?(animation|transition)(start|run|iteration|end|cancel)$/i;

export function isAnimationEvent(type: string): boolean {
  return eventTypes.test(type);
}

/** Dispatches the events of animations, by the rules of CSS animations and transitions. */
export class AnimationEvents {
  private readonly heard: HeardEvents;

  constructor(heard: HeardEvents) {
    this.heard = heard;
  }

  get isHeard(): boolean {
    return !this.heard.isEmpty;
  }

  tell(animation: Animation, before: Progress, after: Progress): void {
    if ("animationName" in animation)
      for (const [name, seconds] of animationSteps(animation, before, after))
        this.dispatch(animation, `animation${name}`, seconds);
    else if ("transitionProperty" in animation)
      for (const [name, seconds] of transitionSteps(animation, before, after))
        this.dispatch(animation, `transition${name}`, seconds);
  }

  tellPlayback(
    animation: Animation,
    type: "finish" | "cancel",
    currentTime: number | null,
    timelineTime: number,
  ): void {
    animation.dispatchEvent(new AnimationPlaybackEvent(type, { currentTime, timelineTime }));
  }

  private dispatch(animation: Animation, type: string, elapsedTime: number): void {
    const effect = animation.effect as KeyframeEffect | null;
    const view = effect?.target?.ownerDocument.defaultView;
    if (effect === null || view === null || view === undefined) return;
    const pseudoElement = effect.pseudoElement ?? "";
    const more = { bubbles: true, cancelable: true, elapsedTime, pseudoElement };
    const make = (name: string): Event =>
      "animationName" in animation
        ? new view.AnimationEvent(name, { ...more, animationName: String(animation.animationName) })
        : new view.TransitionEvent(name, {
            ...more,
            propertyName: String(Reflect.get(animation, "transitionProperty")),
          });
    effect.target?.dispatchEvent(make(type));
    const old = oldNames[type];
    if (old !== undefined && this.heard.has(old)) effect.target?.dispatchEvent(make(old));
  }
}

const oldNames: Readonly<Record<string, string>> = {
  animationstart: "webkitAnimationStart",
  animationiteration: "webkitAnimationIteration",
  animationend: "webkitAnimationEnd",
  transitionend: "webkitTransitionEnd",
};

/** Names of events, each with the seconds elapsed. */
type Steps = readonly (readonly [name: string, seconds: number])[];

function animationSteps({ effect }: Animation, before: Progress, after: Progress): Steps {
  const timing = effect?.getComputedTiming();
  const active = Number(timing?.activeDuration ?? 0);
  const duration = Number(timing?.duration ?? 0);
  const first = Math.min(Math.max(-(timing?.delay ?? 0), 0), active) / 1_000;
  const [started, ended] = [["start", first] as const, ["end", active / 1_000] as const];
  switch (`${before.phase} ${after.phase}`) {
    case "idle active":
    case "before active":
      return [started];
    case "idle after":
    case "before after":
      return [started, ended];
    case "active active":
      return before.iteration === after.iteration
        ? []
        : [["iteration", (after.iteration * duration) / 1_000]];
    case "active after":
      return [ended];
    case "active before":
      return [["end", first]];
    case "after active":
      return [["start", active / 1_000]];
    case "after before":
      return [
        ["start", active / 1_000],
        ["end", first],
      ];
    case "before idle":
    case "active idle":
      return [["cancel", 0]];
    default:
      return [];
  }
}

function transitionSteps({ effect }: Animation, before: Progress, after: Progress): Steps {
  const timing = effect?.getComputedTiming();
  const active = Number(timing?.activeDuration ?? 0) / 1_000;
  const first = Math.min(Math.max(-(timing?.delay ?? 0) / 1_000, 0), active);
  const [ran, started, ended] = [
    ["run", first] as const,
    ["start", first] as const,
    ["end", active] as const,
  ];
  switch (`${before.phase} ${after.phase}`) {
    case "idle before":
      return [ran];
    case "idle active":
      return [ran, started];
    case "idle after":
      return [ran, started, ended];
    case "before active":
      return [started];
    case "before after":
      return [started, ended];
    case "active after":
      return [ended];
    case "before idle":
    case "active idle":
      return [["cancel", 0]];
    default:
      return [];
  }
}
