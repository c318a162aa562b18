/** The thread that computes the timelines of a folder: no state, so it may be ended at any time. */
import { entryPath } from "../../../../actors/composition/bundle-file.ts";
import type { Timeline } from "../../../../actors/timeline/model.ts";
import { checkBundle } from "../../compositions/check-bundle.ts";
import type { FolderTexts } from "../folder-source.ts";

export function run({ paths, texts }: FolderTexts): Timeline {
  const known = new Set(paths);
  return checkBundle({
    entry: entryPath,
    has: (path) => known.has(path),
    read: (path) => texts.get(path),
  });
}
