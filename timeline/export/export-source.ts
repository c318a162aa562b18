import type { Timeline } from "../model.ts";
import type { Measurement } from "./measurement.ts";
import type { StoredMedia } from "./sources.ts";

/** What an edit list is made from. */
export interface ExportSource {
  readonly compositionId: string;
  readonly name: string;
  readonly timeline: Timeline;
  /** Measurement of the page, if the page was laid out. */
  readonly measurement: Omit<Measurement, "timeline"> | undefined;
  /** Media that exist, by the source's name. */
  readonly stored: ReadonlyMap<string, StoredMedia>;
}
