import type { Key } from "../../engine/key.ts";
import { type RecordHead, type Sealed, type Span, seal } from "../../engine/record.ts";

/** Seals a record of these writes, which are JSON texts; undefined deletes a row. */
export function sealRecord(
  head: RecordHead,
  rows: Readonly<Record<Key, string | undefined>>,
  previousHash: string,
): Sealed {
  const values = Buffer.from(Object.values(rows).join(""));
  const spans = new Map<Key, Span>();
  let start = 0;
  for (const [key, text] of Object.entries(rows)) {
    const end = start + Buffer.byteLength(text ?? "");
    spans.set(key, text === undefined ? { start: -1, end: -1 } : { start, end });
    start = end;
  }
  return seal(head, spans, values, previousHash);
}
