/**
 * One round towards a composition's timeline: the timeline, or what has to be read before the next
 * round. Hostile markup takes long, so it runs on a thread that can be ended.
 */

import { type Bundle, entryPath } from "../bundle.ts";
import type { Timeline } from "../model.ts";
import { effectiveTimeline } from "../timeline.ts";

export interface TimelineTask {
  /** Paths of all files, and of those that a timeline is written in. */
  readonly paths: readonly string[];
  readonly markup: readonly string[];
  /** Texts that have been read so far, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Lengths of assets; null for those that have none. */
  readonly seconds: ReadonlyMap<string, number | null>;
}

export type TimelineRound =
  | { readonly kind: "done"; readonly timeline: Timeline }
  | {
      readonly kind: "missed";
      readonly paths: readonly string[];
      readonly assets: readonly string[];
    };

export function timelineRound({ paths, markup, texts, seconds }: TimelineTask): TimelineRound {
  const known = new Set(paths);
  const readable = new Set(markup);
  const missed = new Set<string>();
  const assets = new Set<string>();
  const bundle: Bundle = {
    entry: entryPath,
    has: (path) => known.has(path),
    read(path) {
      if (readable.has(path) && !texts.has(path)) missed.add(path);
      return texts.get(path);
    },
    mediaSeconds(source) {
      if (source.kind === "file") return undefined;
      if (!seconds.has(source.assetId)) assets.add(source.assetId);
      return seconds.get(source.assetId) ?? undefined;
    },
  };
  const timeline = effectiveTimeline(bundle);
  if (missed.size === 0 && assets.size === 0) return { kind: "done", timeline };
  return { kind: "missed", paths: [...missed], assets: [...assets] };
}
