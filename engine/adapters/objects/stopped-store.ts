/** Moves the objects of a store that is not in use between the disk and a bucket. */
import type { ObjectStore } from "../../../config/settings.ts";
import { type Moved, moveObjects, removeObjects } from "../../objects-move.ts";
import { holdStore } from "../data-directory.ts";
import { type Place, readPlace, writePlace } from "./objects-place.ts";
import { openObjects, preparePlace } from "./open-objects.ts";

export interface Move {
  readonly dataDir: string;
  readonly store: ObjectStore;
  readonly to: Place;
  /** Whether moved objects are removed from their old place. */
  readonly removesSource: boolean;
  readonly warn: (sentence: string) => void;
  readonly onMoved: (moved: Moved) => void;
}

/**
 * Returns undefined when the objects were already there. A service uses the new place only when all
 * objects are there. Throws `DataDirectoryError` or `PortError`.
 */
export async function moveStore(move: Move): Promise<Moved | undefined> {
  const { dataDir, store, to, removesSource, warn, onMoved } = move;
  const hold = holdStore(dataDir);
  try {
    const disk = await openObjects(dataDir, undefined);
    const bucket = await openObjects(dataDir, store);
    const [from, target] = to === "s3" ? [disk, bucket] : [bucket, disk];
    await preparePlace(dataDir, to === "s3" ? store : undefined, warn);
    const isThere = readPlace(dataDir) === to;
    const moved = isThere ? undefined : await moveObjects(from, target, onMoved);
    writePlace(dataDir, to);
    if (removesSource) await removeObjects(from);
    return moved;
  } finally {
    hold.release();
  }
}
