import { openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Keeps the folder of this process's build open until the process ends, so that `config/setup` sees
 * that the build is in use: threads, pages and files are read from it late.
 */
export function holdBuild(): void {
  openSync(dirname(import.meta.dirname), "r");
}
