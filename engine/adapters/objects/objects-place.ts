/**
 * Where a data directory's objects are: a marker file says that they are in a bucket. A service
 * configured for the wrong place would find none of them.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Place = "disk" | "s3";

const markName = "objects-in-s3";

export function readPlace(dataDir: string): Place {
  return existsSync(join(dataDir, markName)) ? "s3" : "disk";
}

export function writePlace(dataDir: string, place: Place): void {
  if (readPlace(dataDir) === place) return;
  const mark = join(dataDir, markName);
  if (place === "s3") writeFileSync(mark, "", { mode: 0o600, flush: true });
  else rmSync(mark, { force: true });
}
