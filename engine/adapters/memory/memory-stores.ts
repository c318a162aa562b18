/** In-memory versions of a shard's stores: the executable specification of the ports, for tests. */
import type { Key, KeyRange } from "../../key.ts";
import type { Journal } from "../../ports/journal.ts";
import { PortError } from "../../ports/port-error.ts";
import type { TableRow, Tables } from "../../ports/tables.ts";

export function memoryJournal(): Journal {
  const records = new Map<number, Uint8Array>();
  return {
    async append(seq, record) {
      if (records.has(seq)) throw new PortError(`record ${seq} is in the journal already`, false);
      records.set(seq, Uint8Array.from(record));
    },
    *from(seq) {
      for (const at of [...records.keys()].sort((a, b) => a - b))
        if (at >= seq) yield { seq: at, record: records.get(at) ?? new Uint8Array() };
    },
    async trim(seq) {
      for (const at of records.keys()) if (at <= seq) records.delete(at);
    },
    async restart() {
      records.clear();
    },
    async close() {},
  };
}

export function memoryTables(): Tables {
  const rows = new Map<Key, string>();
  return {
    get: (key) => rows.get(key),
    range({ start, end }: KeyRange, limit, reverse = false) {
      const found: TableRow[] = [...rows]
        .filter(([key]) => key >= start && key < end)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, text]) => ({ key, text }));
      return (reverse ? found.reverse() : found).slice(0, limit);
    },
    refresh() {},
    async write(writes) {
      for (const [key, value] of writes) {
        if (value === undefined) rows.delete(key);
        else rows.set(key, typeof value === "string" ? value : Buffer.from(value).toString());
      }
    },
    async close() {},
  };
}
