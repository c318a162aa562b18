/** State of `klieg preview`, as its process reports whenever the folder has changed. */
import { signal } from "../view.ts";

export interface Live {
  readonly name: string;
  /** Number of the files' version; increases when they change. */
  readonly revision: number;
  /** Path of the preview's page, or null while there is no preview. */
  readonly preview: string | null;
  /** Why there is no preview, as sentences. */
  readonly faults: readonly string[];
}

/** The latest state, or undefined until the first one has arrived. */
export const live = signal<Live | undefined>(undefined);
/** The latest state that had a preview. */
export const lastGood = signal<Live | undefined>(undefined);
export const isConnected = signal(true);

/** Follows the state. The browser reconnects by itself. */
export function follow(): void {
  const events = new EventSource("events");
  events.onmessage = ({ data }: MessageEvent<string>) => {
    isConnected.value = true;
    const told = JSON.parse(data) as Live;
    if (told.revision <= (live.value?.revision ?? 0)) return;
    live.value = told;
    if (told.preview !== null) lastGood.value = told;
  };
  events.onerror = () => {
    isConnected.value = false;
  };
}
