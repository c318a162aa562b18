import { entryPath } from "../../timeline/bundle.ts";
import type { Timeline } from "../../timeline/model.ts";
import { checkBundle } from "../compositions/check-bundle.ts";

/** Input of a timeline: the text files of a bundle by path, and the paths of all its files. */
export interface FolderTexts {
  readonly paths: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
}

export function checkTexts({ paths, texts }: FolderTexts): Timeline {
  const known = new Set(paths);
  return checkBundle({
    entry: entryPath,
    has: (path) => known.has(path),
    read: (path) => texts.get(path),
  });
}
