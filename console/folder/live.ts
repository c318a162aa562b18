/** What `klieg preview` shows now, as its process tells whenever the folder has changed. */
import { signal } from "../view.ts";

export interface Live {
  readonly name: string;
  /** Another for other files. */
  readonly revision: number;
  /** Path of the preview's page; null while there is none. */
  readonly preview: string | null;
  /** Why there is none, as sentences. */
  readonly faults: readonly string[];
}

/** Undefined until it was told for the first time. */
export const live = signal<Live | undefined>(undefined);
/** What was told when there was a preview. */
export const lastGood = signal<Live | undefined>(undefined);
export const isConnected = signal(true);

/** The browser connects again by itself. */
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
