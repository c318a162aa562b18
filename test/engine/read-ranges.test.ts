/** Tests that a listing which is polled reads the tables once until they change, and no longer. */
import t from "tap";
import { createKey, type KeyRange } from "../../engine/key.ts";
import type { TableRow } from "../../engine/ports/tables.ts";
import { ReadRanges } from "../../engine/reading/read-ranges.ts";

const all: KeyRange = { start: createKey(1, 16, ""), end: createKey(1, 17, "") };

/** Tables of so many equal rows, which note what is read. */
function openTables(count = 2, text = '"1"') {
  const asked: string[] = [];
  const row: TableRow = { key: createKey(1, 16, "a"), text };
  const range = ({ start, end }: KeyRange, limit: number, reverse = false) => {
    asked.push(`${start.slice(2)} to ${end.slice(2)}, ${limit}${reverse ? " backwards" : ""}`);
    return Array<TableRow>(Math.min(limit, count)).fill(row);
  };
  return { asked, ranges: new ReadRanges({ range }) };
}

t.test("a range is read once until it is forgotten", async (t) => {
  const { asked, ranges } = openTables();
  t.equal(ranges.range(all, 10).length, 2);
  t.equal(ranges.range(all, 10, false).length, 2);
  t.equal(asked.length, 1);
  ranges.forget();
  t.equal(ranges.range(all, 10).length, 2);
  t.equal(asked.length, 2);
});

t.test("ranges that differ in an end, a limit or a direction are different ones", async (t) => {
  const { asked, ranges } = openTables();
  const [a, b, ab] = ["a", "b", "ab"].map((name) => createKey(1, 16, name));
  if (a === undefined || b === undefined || ab === undefined) return;
  ranges.range({ start: a, end: b }, 10);
  ranges.range({ start: ab, end: b }, 10);
  ranges.range({ start: a, end: ab }, 10);
  ranges.range({ start: a, end: b }, 11);
  ranges.range({ start: a, end: b }, 10, true);
  t.equal(new Set(asked).size, 5);
});

t.test("long ranges are not kept, and others make room for new ones", async (t) => {
  const { asked, ranges } = openTables(1_000, "x".repeat(1_000));
  for (let time = 0; time < 2; time++) ranges.range(all, 257);
  t.equal(asked.length, 2);
  for (let limit = 1; limit <= 256; limit++)
    for (const reverse of [false, true]) ranges.range(all, limit, reverse);
  ranges.range(all, 1);
  t.equal(asked.length, 2 + 512 + 1, "the first was dropped for later ones");
});
