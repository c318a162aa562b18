/// <reference lib="dom" />
import type { FilmWindow } from "../page/plan.ts";

declare const window: FilmWindow;

/**
 * Holds animations from the first frame that the browser paints, because the real time in which a
 * page opens would end short ones. Called before the film's time replaces the browser's.
 */
export function holdEarlyAnimations(): void {
  const nextFrame = window.requestAnimationFrame.bind(window);
  const hold = (): void => {
    const hasTime = "__kliegClock" in window;
    if (!hasTime || window.__kliegClock.discoverEarly()) nextFrame(hold);
  };
  nextFrame(hold);
}
