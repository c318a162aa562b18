import type { Timeline } from "../model.ts";
import type { Measurement } from "./measurement.ts";
import type { StoredMedia } from "./sources.ts";

/** What an edit list is made from. */
export interface ExportSource {
  readonly compositionId: string;
  readonly name: string;
  readonly timeline: Timeline;
  /** Of a page that was laid out. */
  readonly measurement: Omit<Measurement, "timeline"> | undefined;
  /** By the source's name: what is there. */
  readonly stored: ReadonlyMap<string, StoredMedia>;
}
