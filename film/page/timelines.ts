/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Composition } from "../../timeline/model.ts";
import type { FilmWindow } from "./plan.ts";

/**
 * What scripts register for seeking: timelines by their composition's id, and the objects that
 * other libraries leave in known globals.
 */
declare const window: FilmWindow;

type Seekable = Readonly<Record<string, unknown>>;

const timelinesByKey = new Map<string, Seekable>();

export function findTimelineById(id: string): Seekable | undefined {
  const found = window.__timelines?.[id];
  return isObject(found) ? found : undefined;
}

export function keepTimeline(key: string, timeline: Seekable): void {
  timelinesByKey.set(key, timeline);
  call(timeline, "pause");
}

/** Takes the timeline registered under a composition's id; false when there is none. */
export function findTimeline({ key, id }: Composition): boolean {
  if (timelinesByKey.has(key)) return true;
  const own = findTimelineById(id) ?? (key === "" ? onlyTimeline() : undefined);
  if (own !== undefined) keepTimeline(key, own);
  return own !== undefined;
}

/** For a root whose timeline is registered under another name: the only free timeline. */
function onlyTimeline(): Seekable | undefined {
  const all = Object.values(window.__timelines ?? {}).filter(isObject);
  const free = all.filter((one) => ![...timelinesByKey.values()].includes(one));
  return free.length === 1 ? free[0] : undefined;
}

/** Whether there is any timeline or library that has to follow each frame. */
export function hasTimelines(): boolean {
  return timelinesByKey.size > 0 || hasOtherClock();
}

export function hasOtherClock(): boolean {
  const { __hf, __hfAnime, __hfLottie } = window;
  const isOwn = isObject(__hf) && __hf !== window.__kliegBridge;
  return isOwn || Array.isArray(__hfAnime) || Array.isArray(__hfLottie);
}

export function rootDuration(): number | undefined {
  const timeline = timelinesByKey.get("");
  const counted = timeline && (call(timeline, "duration") ?? call(timeline, "totalDuration"));
  const seconds = counted ?? timeline?.["duration"];
  const said = isObject(window.__hf) ? window.__hf["duration"] : undefined;
  const found = seconds ?? said;
  return typeof found === "number" && found > 0 && found < 1e6 ? found : undefined;
}

/** Some libraries set up what begins at 0 only when they get there from another time. */
export function wakeTimeline(key: string): void {
  const timeline = timelinesByKey.get(key);
  if (timeline === undefined || typeof timeline["totalTime"] !== "function") return;
  call(timeline, "totalTime", 0.001, true);
  call(timeline, "totalTime", 0, true);
}

/** `seconds` are in the composition's own time. */
export function seekTimeline(key: string, seconds: number): void {
  const timeline = timelinesByKey.get(key);
  if (timeline === undefined) return;
  // Seeks with events, for scripts that write text in `onUpdate`.
  if (typeof timeline["totalTime"] === "function")
    call(timeline, "totalTime", Math.min(seconds, playOnce(timeline)), false);
  else if (typeof timeline["seek"] === "function") call(timeline, "seek", seconds);
  else if (typeof timeline["time"] === "function") call(timeline, "time", seconds);
}

/** A repeating timeline plays once and holds its last state, like one that is too short. */
function playOnce(timeline: Seekable): number {
  const [repeats, duration] = [call(timeline, "repeat"), call(timeline, "duration")];
  const isRepeated = typeof repeats === "number" && repeats !== 0;
  return isRepeated && typeof duration === "number" ? duration : Number.POSITIVE_INFINITY;
}

export function seekOthers(seconds: number): void {
  Reflect.set(window, "__hfThreeTime", seconds);
  window.dispatchEvent(new CustomEvent("hf-seek", { detail: { time: seconds } }));
  if (isObject(window.__hf)) call(window.__hf, "seek", seconds);
  for (const instance of listSeekables(window.__hfAnime)) call(instance, "seek", seconds * 1_000);
  for (const player of listSeekables(window.__hfLottie))
    if (typeof player["goToAndStop"] === "function")
      call(player, "goToAndStop", seconds * 1_000, false);
    else call(player, "seek", seconds);
}

function listSeekables(value: unknown): readonly Seekable[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Seekable {
  return typeof value === "object" && value !== null;
}

function call(target: Seekable, name: string, ...values: readonly unknown[]): unknown {
  const method = target[name];
  if (typeof method !== "function") return undefined;
  try {
    return Reflect.apply(method, target, values);
  } catch (fault) {
    globalThis.reportError(fault);
    return undefined;
  }
}
