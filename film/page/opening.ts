/// <reference lib="dom" />
import "./registers.ts";
import { FilmTime } from "./time/film-time.ts";

/**
 * Runs first in every frame of a page, and replaces its time by the film's. Frames of the same
 * origin share the time of the page around them.
 */
declare const window: Window & typeof globalThis & { readonly __kliegClock?: FilmTime };

function outerTime(): FilmTime | undefined {
  try {
    const outer = window.parent === window ? undefined : window.parent;
    const known: unknown = outer && Reflect.get(outer, "__kliegClock");
    return isTime(known) ? known : undefined;
  } catch {
    // A page of another origin does not belong to the film.
    return undefined;
  }
}

/** Checked by member, because another window has another class of the same name. */
function isTime(value: unknown): value is FilmTime {
  return typeof value === "object" && value !== null && "clock" in value;
}

const time = outerTime() ?? new FilmTime(window);
time.take(window);
Object.defineProperty(window, "__kliegClock", { value: time });
