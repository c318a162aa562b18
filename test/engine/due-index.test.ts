import t from "tap";
import { DueIndex } from "../../engine/shard/rows/due-index.ts";

t.test("an actor is told once, not before its time and at most one granule after it", async (t) => {
  const index = new DueIndex(10_000);
  index.set("a", 10_600);
  t.strictSame(index.take(10_599), []);
  t.strictSame(index.take(10_600 + 250), ["a"]);
  t.strictSame(index.take(1_000_000), []);
});

t.test("actors come out in the order of their time", async (t) => {
  const index = new DueIndex(0);
  index.set("c", 3_000);
  index.set("a", 1_000);
  index.set("b", 2_000);
  t.strictSame(index.take(2_500), ["a", "b"]);
  t.strictSame(index.take(9_999), ["c"]);
});

t.test("setting again replaces the time, and undefined clears it", async (t) => {
  const index = new DueIndex(0);
  index.set("a", 1_000);
  index.set("a", 5_000);
  index.set("b", 1_000);
  index.set("b", undefined);
  index.set("never", undefined);
  t.strictSame(index.take(4_999), []);
  index.set("a", 2_000);
  t.strictSame(index.take(5_250), ["a"], "a time that has passed already is due at once");
  t.strictSame(index.take(90_000), []);
});

t.test("an actor whose past time is moved on is not told early", async (t) => {
  const index = new DueIndex(0);
  t.strictSame(index.take(10_000), []);
  index.set("a", 3_000);
  index.set("b", 3_000);
  index.set("a", 20_000);
  t.strictSame(index.take(10_500), ["b"]);
  t.strictSame(index.take(20_500), ["a"]);
});

t.test("an actor that was told can be set again, to the same time even", async (t) => {
  const index = new DueIndex(0);
  index.set("a", 1_000);
  t.strictSame(index.take(1_500), ["a"]);
  index.set("a", 1_000);
  t.strictSame(index.take(2_000), ["a"]);
});

t.test("what the tables hold is written only when it differs", async (t) => {
  const index = new DueIndex(0);
  t.equal(index.difference("a", undefined), undefined);
  t.equal(index.difference("a", 1_000), 1_000);
  t.equal(index.difference("a", 1_000), 1_000, "it may have failed");
  index.store("a", 1_000);
  t.equal(index.difference("a", 1_000), undefined);
  t.equal(index.difference("a", 2_000), 2_000);
  t.equal(index.difference("a", undefined), null);
  index.store("a", undefined);
  t.equal(index.difference("a", undefined), undefined);
});

t.test("what was read back at start is due, and no difference", async (t) => {
  const index = new DueIndex(10_000);
  index.restore("a", 4_000);
  index.restore("b", 12_000);
  t.equal(index.difference("a", 4_000), undefined);
  t.strictSame(index.take(10_250), ["a"], "what became due while nobody ran is told at once");
  t.strictSame(index.take(12_250), ["b"]);
});

t.test("after a long pause only those are looked at who wait", async (t) => {
  const index = new DueIndex(0);
  const yearsMs = 100 * 365 * 86_400_000;
  for (const [actor, dueMs] of [
    ["c", yearsMs - 1_000],
    ["a", 500],
    ["b", 86_400_000],
    ["d", yearsMs + 1_000],
  ] as const)
    index.set(actor, dueMs);
  t.strictSame(index.take(yearsMs), ["a", "b", "c"]);
  t.strictSame(index.take(yearsMs + 2_000), ["d"]);
});
