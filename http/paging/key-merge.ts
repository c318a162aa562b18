import type { Key, KeyRange } from "../../engine/key.ts";
import type { TableRow } from "../../engine/ports/tables.ts";

type Read = (range: KeyRange, limit: number) => readonly TableRow[];

interface Source {
  readonly start: Key;
  end: Key;
  keys: Key[];
  at: number;
  isDrained: boolean;
}

const idBytes = 16;
const firstStrideMin = 8;
const strideMax = 256;

/**
 * Merges the keys of several ranges, newest first by the id at the end of each key. Reads a little
 * of every range at first, and more of those that turn out to matter.
 */
export class KeyMerge {
  private readonly read: Read;
  private readonly sources: Source[];
  private stride: number;

  /** `wanted` is the approximate number of keys that will be taken. */
  constructor(read: Read, ranges: readonly KeyRange[], wanted: number) {
    this.read = read;
    this.sources = ranges.map(({ start, end }) => ({
      start,
      end,
      keys: [],
      at: 0,
      isDrained: false,
    }));
    const share = Math.ceil((2 * wanted) / Math.max(1, ranges.length));
    this.stride = Math.min(strideMax, Math.max(firstStrideMin, share));
  }

  next(): Key | undefined {
    let newest: Source | undefined;
    let newestId = "";
    for (const source of this.sources) {
      if (source.at === source.keys.length && !source.isDrained) this.fill(source);
      const id = source.keys[source.at]?.slice(-idBytes) ?? "";
      if (id <= newestId) continue;
      newest = source;
      newestId = id;
    }
    return newest?.keys[newest.at++];
  }

  private fill(source: Source): void {
    const rows = this.read({ start: source.start, end: source.end }, this.stride);
    source.keys = rows.map(({ key }) => key);
    source.at = 0;
    source.isDrained = rows.length < this.stride;
    source.end = source.keys.at(-1) ?? source.end;
    this.stride = Math.min(strideMax, this.stride * 2);
  }
}
