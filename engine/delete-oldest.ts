/**
 * Deletes the `count` entries that a map has held longest. Delete many at a time: on its way to its
 * first entry a map passes the places of all that were deleted since it last grew, so to delete one
 * of 50,000 for each new one takes longer than most of what caches save.
 */
export function deleteOldest(map: Map<unknown, unknown>, count: number): void {
  let left = count;
  for (const key of map.keys()) {
    if (left-- <= 0) return;
    map.delete(key);
  }
}
