import { join } from "node:path";
import { type Release, run } from "./release.ts";

export function packTypescriptClient({ root, output }: Release): void {
  const folder = join(root, "clients/typescript");
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", output], folder);
}

/** Builds a wheel with pip, which comes with Python. */
export function packPythonClient({ root, output }: Release): void {
  const folder = join(root, "clients/python");
  run("python3", ["-m", "pip", "wheel", "--no-deps", "--wheel-dir", output, folder], output);
}

/** Packs the sources of the module, which needs nothing else. */
export function packGoClient({ root, output, version }: Release): void {
  const path = join(output, `klieg-go-${version}.tar.gz`);
  run("tar", ["-czf", path, "--transform", "s,^go,klieg,", "go"], join(root, "clients"));
}
