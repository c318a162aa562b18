/** The thread that writes exports: no state, so it may be ended at any time. */
import type { Writing } from "../export/writing.ts";
import { archiveExport, type Written } from "./archive.ts";

export function run(writing: Writing): Promise<Written> {
  return archiveExport(writing);
}
