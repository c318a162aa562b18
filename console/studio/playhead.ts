import { signal } from "../view.ts";

/** The second of the film that the preview shows. */
export const playhead = signal(0);
/** A second that is asked for from elsewhere; each asking is another object. */
export const sought = signal<{ readonly seconds: number } | undefined>(undefined);
