/**
 * Range reads over the tables and the fresh rows of a shard that cannot write them. Records do not
 * hold the index entries of a fresh head, so they are made here as the flush would. Costs as much
 * as the partition has fresh rows, once.
 */
import type { RowRules } from "../domain.ts";
import { getCode, getPartition, type Key, type KeyRange } from "../key.ts";
import type { TableReader, TableRow } from "../ports/tables.ts";
import { getText } from "../record.ts";
import { decodeRow } from "../row-codec.ts";
import type { FreshRows } from "../shard/rows/fresh-rows.ts";

/** Rows that the tables will hold; undefined for a row that is deleted. */
type Overlay = ReadonlyMap<Key, string | undefined>;

export function mergeRange(
  reader: TableReader,
  fresh: FreshRows,
  domain: RowRules,
): TableReader["range"] {
  const overlays = new Map<number, Overlay>();
  return (range, limit, reverse = false) => {
    const partition = getPartition(range.start);
    const overlay = overlays.get(partition) ?? createOverlay(partition, fresh, domain);
    overlays.set(partition, overlay);
    return merge(reader, overlay, range, limit, reverse);
  };
}

function createOverlay(
  partition: number,
  fresh: FreshRows,
  { rowCodecs, indexRules }: RowRules,
): Overlay {
  const overlay = new Map<Key, string | undefined>();
  for (const row of fresh.readRows(partition)) {
    const { key } = row;
    const text = getText(row);
    overlay.set(key, text);
    const rule = indexRules?.get(getCode(key));
    if (text === undefined || rule === undefined) continue;
    const picked = rule.pick(decodeRow(rowCodecs, key, text));
    // Deleting entries that the tables lack is harmless, so each head is taken for a stored one.
    for (const { key: place, value } of rule.entries(picked, true))
      overlay.set(place, value === undefined ? undefined : JSON.stringify(value));
  }
  return overlay;
}

function merge(
  reader: TableReader,
  overlay: Overlay,
  range: KeyRange,
  limit: number,
  reverse: boolean,
): readonly TableRow[] {
  const fresh: TableRow[] = [];
  let hidden = 0;
  for (const [key, text] of overlay) {
    if (key < range.start || key >= range.end) continue;
    hidden++;
    if (text !== undefined) fresh.push({ key, text });
  }
  // Reads so many rows that `limit` remain, however many the overlay hides.
  const stored = reader
    .range(range, limit + hidden, reverse)
    .filter(({ key }) => !overlay.has(key));
  if (fresh.length === 0) return stored.slice(0, limit);
  const sign = reverse ? -1 : 1;
  const rows = [...stored, ...fresh].sort((a, b) => (a.key < b.key ? -sign : sign));
  return rows.slice(0, limit);
}
