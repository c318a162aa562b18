import type { Bundle, MediaSource } from "../../timeline/bundle.ts";
import type { Clip, Timeline } from "../../timeline/model.ts";
import { effectiveTimeline } from "../../timeline/timeline.ts";

/** Builds a bundle in memory; `root` is the markup inside a root of 5 s, 320x180 at 30 fps. */
export function readBundle(
  root: string,
  files: Readonly<Record<string, string>> = {},
  given: Partial<Bundle> = {},
): Bundle {
  const all: Readonly<Record<string, string>> = { "index.html": page(root), ...files };
  return { entry: "index.html", read: (path) => all[path], ...given };
}

export function page(root: string, attributes = 'data-duration="5"'): string {
  const size = 'data-width="320" data-height="180"';
  const opened = `<div id="root" data-composition-id="main" ${size} ${attributes}>`;
  return `<!doctype html><html><body style="background:#000">${opened}${root}</div></body></html>`;
}

/** Makes the timeline of `root` with these edits. */
export function makeEdited(
  root: string,
  overlay: object,
  files?: Record<string, string>,
): Timeline {
  return effectiveTimeline(
    readBundle(root, files, { overlay: JSON.stringify({ version: 1, ...overlay }) }),
  );
}

export function requireClip({ clips }: Timeline, id: string): Clip {
  const found = clips.find((clip) => clip.id === id);
  if (found === undefined) throw new Error(`there is no clip ${id}`);
  return found;
}

export function times(timeline: Timeline): Record<string, readonly [number, number | undefined]> {
  return Object.fromEntries(timeline.clips.map(({ id, start, end }) => [id, [start, end]]));
}

export function messages({ diagnostics }: Timeline): readonly string[] {
  return diagnostics.map(({ severity, message }) => `${severity}: ${message}`);
}

/** Gives a bundle the lengths of media files, by path. */
export function lengths(seconds: Readonly<Record<string, number>>): Partial<Bundle> {
  return {
    has: () => true,
    mediaSeconds: (source: MediaSource) =>
      source.kind === "file" ? seconds[source.path] : undefined,
  };
}
