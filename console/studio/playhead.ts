import { signal } from "../view.ts";

/** The second of the film that the preview shows. */
export const playhead = signal(0);
/** A second that is asked for from elsewhere; each asking is another object. */
export const sought = signal<{ readonly seconds: number } | undefined>(undefined);
/** Another number each time that playing is to begin or end. */
export const playToggles = signal(0);
/** The film's length as the preview found it; for films whose markup says none. */
export const playedSeconds = signal<number | undefined>(undefined);
