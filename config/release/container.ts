import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installPackages, writeTree } from "./delivered-tree.ts";
import { type Release, run } from "./release.ts";

/** Packs the context of an image that compiles nothing: tree, packages and a Containerfile. */
export function packContainer(release: Release): void {
  const { root, output, version } = release;
  const name = `klieg-container-${version}`;
  const place = mkdtempSync(join(tmpdir(), "klieg-container-"));
  try {
    const folder = join(place, name);
    writeTree(release, folder);
    installPackages(folder);
    copyFileSync(join(root, "config/release/Containerfile"), join(folder, "Containerfile"));
    run("tar", ["-czf", join(output, `${name}.tar.gz`), name], place);
  } finally {
    rmSync(place, { recursive: true });
  }
}
