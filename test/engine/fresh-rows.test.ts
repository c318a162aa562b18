import t from "tap";
import { createKey, engineTables, type Key } from "../../engine/key.ts";
import { getText, noHash } from "../../engine/record.ts";
import { FreshRows } from "../../engine/shard/rows/fresh-rows.ts";
import { sealRecord } from "./sealed.ts";

function record(rows: Readonly<Record<Key, string | undefined>>): Uint8Array {
  return sealRecord({ shard: 0, epoch: 1, seq: 1, atMs: 0 }, rows, noHash).bytes;
}

/**
 * Returns the text of a row, `gone` if it was deleted, or undefined when only the table can tell.
 */
function look(rows: FreshRows, key: Key): string | undefined {
  const slice = rows.get(key);
  return slice === undefined ? undefined : (getText(slice) ?? "gone");
}

function frozen(rows: FreshRows): string[] {
  return [...rows.lastWrites()].flat().map((row) => `${row.key} ${getText(row) ?? "gone"}`);
}

t.test("a look-up goes new, then frozen, and no further", async (t) => {
  const rows = new FreshRows();
  t.equal(look(rows, "a"), undefined);
  rows.add(record({ a: "1", b: "2" }));
  rows.freeze();
  t.equal(look(rows, "a"), "1", "frozen rows are still found");
  rows.add(record({ a: "3" }));
  rows.add(record({ c: undefined }));
  t.strictSame(
    ["a", "b", "c", "d"].map((key) => look(rows, key)),
    ["3", "2", "gone", undefined],
  );
});

t.test(
  "a pass gets the last write of each key, partition by partition and table by table",
  async (t) => {
    const rows = new FreshRows();
    const [low, next, high] = [
      createKey(7, 16, "z"),
      createKey(7, 17, "a"),
      createKey(255, 16, "a"),
    ];
    const other = createKey(7, 16, "y");
    rows.add(record({ [high]: "1", [next]: "1", [low]: "1" }));
    rows.add(record({ [next]: "2", [other]: "2" }));
    t.equal(look(rows, next), "2");
    rows.add(record({ [low]: undefined, [next]: "3" }));
    rows.freeze();
    rows.add(record({ [next]: "4" }));
    t.strictSame(frozen(rows), [`${other} 2`, `${low} gone`, `${next} 3`, `${high} 1`]);
  },
);

t.test("frozen rows are found some records at a time, and look-ups need not wait", async (t) => {
  const rows = new FreshRows();
  for (let place = 10; place < 30; place++) rows.add(record({ [`k${place}`]: `${place}` }));
  rows.freeze();
  const seen: (string | undefined)[] = [];
  await rows.findFrozen(async () => {
    rows.add(record({ [`k${seen.length + 10}`]: '"new"' }));
    seen.push(look(rows, "k29"));
  });
  t.strictSame(seen, ["29"], "a look-up finds the rest, so there is nothing left to wait for");
  t.equal(frozen(rows).length, 20);
  t.equal(look(rows, "k10"), '"new"');
});

t.test("each of many rows of a partition is found while more come, and leaves once", async (t) => {
  const rows = new FreshRows();
  const key = (number: number) => createKey(7, 16 + (number % 3), `row ${number}`);
  const written = new Map<Key, string>();
  for (let turn = 0; turn < 40; turn++) {
    const writes: Record<Key, string> = {};
    for (let number = turn * 50; number < turn * 50 + 100; number++) {
      writes[key(number)] = `${turn}`;
      written.set(key(number), `${turn}`);
    }
    rows.add(record(writes));
    t.equal(look(rows, key(turn * 50)), `${turn}`);
    t.equal(look(rows, key(turn * 50 + 100)), undefined);
  }
  t.strictSame(
    [...written.keys()].map((key) => look(rows, key)),
    [...written.values()],
  );
  rows.freeze();
  t.strictSame(frozen(rows).sort(), [...written].map(([key, text]) => `${key} ${text}`).sort());
});

t.test("thawing drops the frozen generation and nothing else", async (t) => {
  const rows = new FreshRows();
  rows.add(record({ a: "1", b: "1" }));
  rows.freeze();
  rows.add(record({ a: "2" }));
  rows.thaw();
  t.equal(look(rows, "a"), "2");
  t.equal(look(rows, "b"), undefined);
  t.ok(rows.size > 0);
  rows.freeze();
  rows.thaw();
  t.equal(rows.size, 0);
});

t.test("no bytes are no rows", async (t) => {
  const rows = new FreshRows();
  rows.add(new Uint8Array(0));
  t.equal(rows.size, 0);
});

t.test("an effect that is concluded in the generation that caused it leaves no row", async (t) => {
  const rows = new FreshRows();
  const effect = createKey(7, engineTables.outbox, "1");
  const other = createKey(7, engineTables.outbox, "2");
  rows.add(record({ [effect]: "1", [other]: "1" }));
  rows.add(record({ [effect]: undefined }));
  rows.freeze();
  t.strictSame(frozen(rows), [`${other} 1`]);
  rows.add(record({ [other]: undefined }));
  t.equal(look(rows, other), "gone", "a frozen one has to be deleted from the table");
  rows.thaw();
  rows.freeze();
  t.strictSame(frozen(rows), [`${other} gone`]);
});

t.test(
  "rows outlive the records that they came in, and leave nothing to those after",
  async (t) => {
    const rows = new FreshRows();
    const names = Array.from({ length: 200 }, (_, number) => `row ${number}`);
    for (let turn = 1; turn <= 3; turn++) {
      for (const name of names) {
        // Texts of several lengths, one of them longer than many others together.
        const text = JSON.stringify(name.repeat(name === "row 7" ? 100_000 : turn * 50));
        const bytes = record({ [createKey(7, 16, `${name} of ${turn}`)]: text });
        rows.add(bytes);
        bytes.fill(0);
      }
      t.equal(
        look(rows, createKey(7, 16, `row 8 of ${turn}`)),
        JSON.stringify("row 8".repeat(turn * 50)),
      );
      t.equal(look(rows, createKey(7, 16, `row 7 of ${turn}`))?.length, 500_002);
      t.equal(look(rows, createKey(7, 16, `row 8 of ${turn - 1}`)), undefined);
      rows.freeze();
      t.equal(frozen(rows).length, names.length);
      rows.thaw();
    }
  },
);

t.test("an effect that is caused anew after its conclusion is a row again", async (t) => {
  const rows = new FreshRows();
  const effect = createKey(7, engineTables.outbox, "1");
  for (const text of ["1", undefined, "2"]) rows.add(record({ [effect]: text }));
  t.equal(look(rows, effect), "2");
  rows.freeze();
  t.strictSame(frozen(rows), [`${effect} 2`]);
});

t.test("many rows of one partition are sorted a slice at a time", async (t) => {
  const rows = new FreshRows();
  const keys = Array.from({ length: 20_000 }, (_, index) =>
    createKey(1, engineTables.due, `${(index * 7_919) % 20_000}`.padStart(5, "0")),
  );
  for (let at = 0; at < keys.length; at += 500)
    rows.add(record(Object.fromEntries(keys.slice(at, at + 500).map((key) => [key, "1"]))));
  rows.freeze();
  let pauses = 0;
  await rows.findFrozen(async () => {
    pauses++;
  });
  const found = [...rows.lastWrites()].flat().map(({ key }) => key);
  t.strictSame(found, [...keys].sort());
  t.ok(pauses > 12, "others ran between the slices");
});
