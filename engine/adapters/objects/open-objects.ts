/** Where a service's objects are: on the disk, or in a bucket where one is set. */
import { join } from "node:path";
import type { ObjectStore } from "../../../config/settings.ts";
import type { Objects } from "../../ports/objects.ts";
import { type DataDirectory, DataDirectoryError } from "../data-directory.ts";
import { diskObjects, removeStaleTemporaries } from "../disk-objects.ts";
import { prepareBucket } from "../s3/bucket.ts";
import { openRequests } from "../s3/requests.ts";
import { s3Objects } from "../s3/s3-objects.ts";
import { systemClock } from "../system-clock.ts";
import { type Place, readPlace, writePlace } from "./objects-place.ts";

/** Each thread opens its own; nothing is asked of the store yet. */
export function openObjects(dataDir: string, store: ObjectStore | undefined): Objects {
  return store === undefined ? diskObjects(folderOf(dataDir)) : s3Objects(openRequests(store));
}

/**
 * Makes the place of a service's objects fit for use, before its first writer starts. Throws
 * `DataDirectoryError` or `PortError` with a sentence for the operator; `warn` is told what is not
 * as it could be.
 */
export async function prepareObjects(
  data: Pick<DataDirectory, "path" | "isNew">,
  store: ObjectStore | undefined,
  warn: (sentence: string) => void,
): Promise<void> {
  const place: Place = store === undefined ? "disk" : "s3";
  if (!data.isNew && readPlace(data.path) !== place) throw elsewhere(data.path, place);
  await preparePlace(data.path, store, warn);
  writePlace(data.path, place);
}

export async function preparePlace(
  dataDir: string,
  store: ObjectStore | undefined,
  warn: (sentence: string) => void,
): Promise<void> {
  if (store === undefined) await removeStaleTemporaries(folderOf(dataDir));
  else await prepareBucket(openRequests(store), systemClock.nowMs(), warn);
}

function elsewhere(path: string, place: Place): DataDirectoryError {
  return new DataDirectoryError(
    place === "s3"
      ? `The objects of ${path} are on the disk; run klieg objects move --to s3, or unset KLIEG_S3_*.`
      : `The objects of ${path} are in an object store; set KLIEG_S3_* to it, or set them to run klieg objects move --to disk.`,
  );
}

function folderOf(dataDir: string): string {
  return join(dataDir, "objects");
}
