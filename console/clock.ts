import { signal } from "./view.ts";

const tickMs = 10_000;

/** The browser's time, for relative times. It advances while a view shows it. */
export const nowMs = signal(Date.now());

setInterval(() => {
  if (document.visibilityState === "visible") nowMs.value = Date.now();
}, tickMs);

/** Returns the exact current time. */
export function readClockMs(): number {
  return Date.now();
}
