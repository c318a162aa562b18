import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Release } from "./release.ts";

/** Writes SHA256SUMS, which `sha256sum --check` reads. */
export function writeChecksums({ output }: Release): void {
  const lines = readdirSync(output)
    .sort()
    .map((name) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(output, name)))
        .digest("hex");
      return `${digest}  ${name}\n`;
    });
  writeFileSync(join(output, "SHA256SUMS"), lines.join(""));
}
