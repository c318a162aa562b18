import { openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Keeps the folder of the build that this process runs from open until the process ends, by which
 * `config/setup` sees that the build is in use: threads, pages and files are read from it late.
 */
export function holdBuild(): void {
  openSync(dirname(import.meta.dirname), "r");
}
