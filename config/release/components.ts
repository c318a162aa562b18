import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeTree } from "./delivered-tree.ts";
import { type Release, run } from "./release.ts";

/** Writes the delivered packages as a bill of materials (CycloneDX), from the lock file. */
export function writeComponents(release: Release): void {
  const { output, version } = release;
  const folder = mkdtempSync(join(tmpdir(), "klieg-components-"));
  try {
    writeTree(release, folder);
    const args = ["sbom", "--package-lock-only", "--omit=dev", "--sbom-format=cyclonedx"];
    writeFileSync(join(output, `klieg-${version}.cdx.json`), run("npm", args, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
