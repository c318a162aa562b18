import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeTree } from "./delivered-tree.ts";
import { type Release, run } from "./release.ts";

/** Packs the service and the command line for npm; `npx klieg-server` runs it. */
export function packNpm(release: Release): void {
  const folder = mkdtempSync(join(tmpdir(), "klieg-npm-"));
  try {
    writeTree(release, folder);
    run("npm", ["pack", "--ignore-scripts", "--pack-destination", release.output], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
