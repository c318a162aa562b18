import { signal } from "../view.ts";

/** The position in the film, in seconds, that the preview shows. */
export const playhead = signal(0);
/** Position that another part of the studio requests; each request is a new object. */
export const sought = signal<{ readonly seconds: number } | undefined>(undefined);
/** Counter that changes each time playback should start or stop. */
export const playToggles = signal(0);
/** Length of the film as the preview measured it, for films whose markup specifies none. */
export const playedSeconds = signal<number | undefined>(undefined);
