import t from "tap";
import { JsonBytes } from "../../engine/json-bytes.ts";

function say(write: (to: JsonBytes) => void): string {
  const to = new JsonBytes();
  write(to);
  return to.bytes.toString("utf8", 0, to.end);
}

const values: readonly unknown[] = [
  ...[0, -0, 7, 10, 99, 100, -4, 999_999_999, 1_000_000_000, 1_000_000_001, 1_795_000_000_123],
  ...[-1_795_000_000_123, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53, 1e21],
  ...[0.1, -1.5, 1e-7, Number.NaN, Number.POSITIVE_INFINITY],
  ...["", "a kite", ' !"#$%&[\\]^{|}~\x7f', "line\nbreak \0", "é 漢字 🎈", "\ud800", "\u2028"],
  ...[true, false, null, [], [[]], [1, ["two", []], { three: 3 }], [null, undefined, 1], {}],
  { a: [1], b: undefined, c: "é" },
];

t.test("a value is what JSON says of it", async (t) => {
  for (const value of values)
    t.equal(
      say((to) => to.value(value)),
      JSON.stringify(value),
    );
});

t.test("numbers of every length are what JSON says of them", async (t) => {
  for (let digits = 1; digits <= 15; digits++)
    for (const value of [
      10 ** digits - 1,
      10 ** digits,
      10 ** digits + 1,
      1.2345678901234 * 10 ** digits,
    ])
      for (const sign of [1, -1])
        t.equal(
          say((to) => to.value(sign * value)),
          JSON.stringify(sign * value),
        );
});

t.test("absent items are null if another follows, and left out at the end", async (t) => {
  const text = say((to) => {
    to.openList();
    to.item(undefined);
    to.item("a");
    to.openItem();
    to.item(undefined);
    to.item(undefined);
    to.item(1);
    to.item(undefined);
    to.closeList();
    to.item(undefined);
    to.closeList();
  });
  t.equal(text, '[null,"a",[null,null,1]]');
});

t.test("values stand behind each other, and what is taken back is written over", async (t) => {
  const text = say((to) => {
    to.value("kept");
    const { end } = to;
    to.openList();
    to.item(undefined);
    to.truncate(end);
    to.json('{"b":2}');
    to.value([1]);
  });
  t.equal(text, '"kept"{"b":2}[1]');
});

t.test("there is room for any value, in any script", async (t) => {
  const long = "x".repeat(1_000_000);
  const wide = "漢".repeat(300_000);
  const text = say((to) => {
    for (const value of ["first", long, wide]) to.value(value);
  });
  t.ok(text === `"first""${long}""${wide}"`);
});
