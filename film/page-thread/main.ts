/** Entry of the thread that writes preview pages: it has no state and may be ended at any time. */
import { type PageTask, previewPage } from "../preview/preview-page.ts";

export function run(task: PageTask): Promise<string> {
  return previewPage(task);
}
