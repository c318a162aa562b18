/** A thread that computes timelines of a folder. It has no state, so it may be ended any time. */
import type { Timeline } from "../../../timeline/model.ts";
import { checkTexts, type FolderTexts } from "../check-texts.ts";

export function run(texts: FolderTexts): Timeline {
  return checkTexts(texts);
}
