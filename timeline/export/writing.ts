import { limits } from "../../config/limits.ts";
import type { Timeline } from "../model.ts";
import { type Exported, type ExportTerms, writeDocuments } from "./documents.ts";
import { isMeasurement, type Measurement } from "./measurement.ts";
import type { StoredMedia } from "./sources.ts";

/** An export to be written, as it is sent to the thread. */
export interface Writing {
  readonly compositionId: string;
  readonly name: string;
  /** Timeline as far as it is known without a measurement. */
  readonly timeline: Timeline;
  /** Measurement as JSON, where a farm node measured the page. */
  readonly measurement: Uint8Array | undefined;
  /** Why no farm node could measure the page. */
  readonly unmeasured: string | undefined;
  readonly stored: ReadonlyMap<string, StoredMedia>;
  readonly terms: ExportTerms;
}

/** Writes an export. Pure: equal writings give equal exports. */
export function writeExport(writing: Writing): Exported {
  const { compositionId, name, stored, terms } = writing;
  const measurement = readMeasurement(writing);
  // A farm node computed the timeline with the lengths of all media, as a render does.
  const timeline = measurement.timeline as Timeline;
  return writeDocuments({ compositionId, name, timeline, measurement, stored }, terms);
}

function readMeasurement({ measurement, unmeasured, timeline }: Writing): Measurement {
  if (measurement !== undefined) {
    const value: unknown = JSON.parse(Buffer.from(measurement).toString("utf8"));
    if (isMeasurement(value)) return value;
  }
  const reason = unmeasured ?? "what the farm found cannot be read";
  const warning = `the page could not be laid out (${reason}), so places are a guess`;
  const warnings = [warning.slice(0, limits.renders.errorMax)];
  return { timeline, places: {}, media: {}, texts: [], warnings };
}
