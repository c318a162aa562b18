import { signal } from "./view.ts";

const tickMs = 10_000;

/** The browser's time, for how long ago something was. It moves on while a view shows it. */
export const nowMs = signal(Date.now());

setInterval(() => {
  if (document.visibilityState === "visible") nowMs.value = Date.now();
}, tickMs);

/** Exactly now. */
export function readClockMs(): number {
  return Date.now();
}
