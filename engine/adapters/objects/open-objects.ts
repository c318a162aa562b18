/** Opens a service's objects: on the disk, or in a bucket where one is configured. */
import { join } from "node:path";
import type { ObjectStore } from "../../../config/settings.ts";
import type { Objects } from "../../ports/objects.ts";
import { type DataDirectory, DataDirectoryError } from "../data-directory.ts";
import { systemClock } from "../system-clock.ts";
import { diskObjects, removeStaleTemporaries } from "./disk-objects.ts";
import { type Place, readPlace, writePlace } from "./objects-place.ts";

/** Opens the objects for one thread, without a request to the store. */
export async function openObjects(
  dataDir: string,
  store: ObjectStore | undefined,
): Promise<Objects> {
  if (store === undefined) return diskObjects(getFolder(dataDir));
  const { openRequests, s3Objects } = await loadS3();
  return s3Objects(openRequests(store));
}

/**
 * Prepares the place of a service's objects before its first writer starts. Throws
 * `DataDirectoryError` or `PortError` with a sentence for the operator; `warn` receives lesser
 * problems.
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
  if (store === undefined) return removeStaleTemporaries(getFolder(dataDir));
  const { openRequests, prepareBucket } = await loadS3();
  await prepareBucket(openRequests(store), systemClock.nowMs(), warn);
}

/** Loads the client only where needed: it costs each thread that loads it 0.3 s and 30 MB. */
async function loadS3() {
  const { openRequests } = await import("../s3/requests.ts");
  const { s3Objects } = await import("../s3/s3-objects.ts");
  const { prepareBucket } = await import("../s3/bucket.ts");
  return { openRequests, s3Objects, prepareBucket };
}

function elsewhere(path: string, place: Place): DataDirectoryError {
  return new DataDirectoryError(
    place === "s3"
      ? `The objects of ${path} are on the local disk; run klieg objects move --to s3, or unset KLIEG_S3_*.`
      : `The objects of ${path} are in an object store; set KLIEG_S3_* to it, and run klieg objects move --to disk if you want them on the local disk.`,
  );
}

function getFolder(dataDir: string): string {
  return join(dataDir, "objects");
}
