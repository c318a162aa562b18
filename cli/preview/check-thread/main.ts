/** The thread that computes the timelines of a folder: no state, so it may be ended at any time. */
import type { Timeline } from "../../../timeline/model.ts";
import { checkTexts, type FolderTexts } from "../check-texts.ts";

export function run(texts: FolderTexts): Timeline {
  return checkTexts(texts);
}
