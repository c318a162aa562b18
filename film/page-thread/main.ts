/** The thread that writes pages of previews: no state, so it may be ended at any time. */
import { type PageTask, previewPage } from "../preview/preview-page.ts";

export function run(task: PageTask): Promise<string> {
  return previewPage(task);
}
