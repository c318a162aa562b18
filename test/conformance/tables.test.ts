import t, { type Test } from "tap";
import { openTableReader, openTables } from "../../engine/adapters/lmdb.ts";
import { memoryTables } from "../../engine/adapters/memory/memory-stores.ts";
import type { TableReader, TableRow, Tables } from "../../engine/ports/tables.ts";

interface Pair {
  readonly tables: Tables;
  /** A reader such as another thread would open. */
  readonly reader: TableReader;
  readonly close: () => Promise<void>;
}

const adapters: Readonly<Record<string, (path: string) => Pair>> = {
  lmdb(path) {
    const tables = openTables(`${path}/tables`);
    const reader = openTableReader(`${path}/tables`);
    const close = async () => {
      await reader.close();
      await tables.close();
    };
    return { tables, reader, close };
  },
  memory() {
    const tables = memoryTables();
    return { tables, reader: tables, close: () => tables.close() };
  },
};

for (const [name, open] of Object.entries(adapters)) {
  t.test(`tables on ${name}`, async (t) => {
    for (const part of [testRows, testSizes, testRanges, testByteOrder, testReader])
      await t.test(part.name, async (t) => {
        const pair = open(t.testdir());
        await part(t, pair);
        await pair.close();
      });
  });
}

async function testRows(t: Test, { tables }: Pair): Promise<void> {
  t.equal(tables.get("a"), undefined);
  await tables.write([
    ["a", "1"],
    ["b", '"é 🎈 \\u0000"'],
  ]);
  tables.refresh();
  t.equal(tables.get("a"), "1");
  t.equal(tables.get("b"), '"é 🎈 \\u0000"', "text beyond ASCII comes back as it was");
  t.equal(tables.get("ab"), undefined, "a prefix is no row");

  await tables.write([
    ["a", "2"],
    ["c", "3"],
    ["c", "4"],
    ["b", undefined],
    ["never", undefined],
  ]);
  tables.refresh();
  t.equal(tables.get("a"), "2", "a write replaces the row");
  t.equal(tables.get("c"), "4", "the last write of a key wins");
  t.equal(tables.get("b"), undefined, "undefined deletes");
  t.strictSame(texts(tables.range({ start: "", end: "z" }, 10)), ["a 2", "c 4"]);

  await tables.write([]);
  await tables.write([
    ["a", undefined],
    ["a", "5"],
  ]);
  tables.refresh();
  t.equal(tables.get("a"), "5", "a row that is deleted and written again is there");
}

/** Writes rows of many sizes, so that pages are split at many places. */
async function testSizes(t: Test, { tables }: Pair): Promise<void> {
  for (const large of [500, 1_000, 2_000, 4_000]) {
    const name = (prefix: string, place: number) => `${large} ${prefix}${100 + place}`;
    const smalls = Array.from({ length: 20 }, (_, place) => [name("a", place), "1"] as const);
    const length = Math.floor(16_000 / large);
    const larges = Array.from(
      { length },
      (_, place) => [name("b", place), "2".repeat(large - 40)] as const,
    );
    await tables.write([...smalls, ...larges]);
    for (let place = 0; place < length; place++)
      await tables.write([[`${name("b", place)}+`, "3".repeat(900)]]);
    tables.refresh();
    const rows = tables.range({ start: `${large} `, end: `${large}!` }, 1_000);
    t.equal(rows.length, 20 + 2 * length, "small rows lie beside large ones");
    t.ok(rows.every(({ text }) => new Set(text).size === 1));
  }
}

async function testRanges(t: Test, { tables }: Pair): Promise<void> {
  await tables.write(["b", "d", "a", "e", "c"].map((key) => [key, `${key}${key}`] as const));
  tables.refresh();
  const range = (start: string, end: string, limit: number, reverse?: boolean) =>
    tables.range({ start, end }, limit, reverse).map(({ key }) => key);

  t.strictSame(range("a", "z", 10), ["a", "b", "c", "d", "e"]);
  t.strictSame(range("b", "d", 10), ["b", "c"], "a range has its start and not its end");
  t.strictSame(range("b", "d", 10, true), ["c", "b"], "backwards too");
  t.strictSame(range("a", "z", 2), ["a", "b"], "a limit takes the first");
  t.strictSame(range("a", "z", 2, true), ["e", "d"], "backwards it takes the last");
  t.strictSame(range("aa", "cc", 10), ["b", "c"], "bounds need not be rows");
  t.strictSame(range("aa", "cc", 10, true), ["c", "b"]);
  t.strictSame(range("b", "b", 10), []);
  t.strictSame(range("x", "z", 10), []);
  t.strictSame(range("x", "z", 10, true), []);
  t.strictSame(texts(tables.range({ start: "c", end: "d" }, 1)), ["c cc"]);
}

async function testByteOrder(t: Test, { tables }: Pair): Promise<void> {
  const keys = ["\0", "\0\0", "\0\x01", "\x01", "a", "a\0", "a\xff", "b", "\x7f", "\x80", "\xff"];
  const longest = "\xc8".repeat(255);
  const ordered = [...keys, longest].sort((a, b) => (a < b ? -1 : 1));
  await tables.write([...keys, longest].reverse().map((key) => [key, hex(key)] as const));
  tables.refresh();
  const found = tables.range({ start: "\0", end: "\xff\xff" }, 100);
  t.strictSame(
    found.map(({ key }) => hex(key)),
    ordered.map(hex),
    "rows come in byte order of their keys",
  );
  t.ok(
    found.every(({ key, text }) => hex(key) === text),
    "each byte of a key is kept",
  );
  const high = tables.range({ start: "\x80", end: "\xff" }, 100, true);
  t.strictSame(
    high.map(({ key }) => hex(key)),
    [hex(longest), "80"],
  );
  t.equal(tables.get("a\xff"), "61ff");
}

async function testReader(t: Test, { tables, reader }: Pair): Promise<void> {
  reader.refresh();
  t.equal(reader.get("a"), undefined);
  for (let round = 1; round <= 10; round++) {
    await tables.write([["a", String(round)]]);
    reader.refresh();
    t.equal(reader.get("a"), String(round), "after a refresh a reader sees what was durable");
  }
  await tables.write([
    ["a", undefined],
    ["b", "1"],
  ]);
  reader.refresh();
  t.strictSame(texts(reader.range({ start: "a", end: "c" }, 10)), ["b 1"]);
}

t.test("what LMDB resolved is there for the next one who opens it", async (t) => {
  const path = `${t.testdir()}/tables`;
  const first = openTables(path);
  const rows = Array.from({ length: 3_000 }, (_, n) => [`k${1_000 + n}`, String(n)] as const);
  await first.write(rows);
  await first.close();
  const second = openTables(path);
  t.equal(second.get("k1000"), "0");
  t.equal(second.range({ start: "k", end: "l" }, 10_000).length, 3_000);
  await second.close();
});

t.test("a folder that LMDB cannot use is a PortError", async (t) => {
  const root = t.testdir({ file: "in the way" });
  t.throws(() => openTables(`${root}/file/tables`), { name: "PortError", retryable: false });
  t.throws(() => openTableReader(`${root}/file/tables`), { name: "PortError", retryable: false });
});

function texts(rows: readonly TableRow[]): string[] {
  return rows.map(({ key, text }) => `${key} ${text}`);
}

function hex(key: string): string {
  return Buffer.from(key, "latin1").toString("hex");
}
