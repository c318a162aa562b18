import { createHash } from "node:crypto";
import t from "tap";
import { Window } from "../../engine/shard/rows/window.ts";

const value = "0123456789abcdef";

function digest(number: number): string {
  return createHash("md5").update(String(number)).digest().toString("latin1");
}

t.test("an entry is found until its window has passed", async (t) => {
  const window = new Window(300_000);
  window.set(digest(1), value, 1_000_000);
  t.equal(window.get(digest(1), 1_000_000), value);
  t.equal(window.get(digest(1), 1_299_999), value);
  t.equal(window.get(digest(1), 1_300_000), undefined);
  t.equal(window.get(digest(2), 1_000_000), undefined);
});

t.test("a window keeps any bytes, and instants beyond 32 bits", async (t) => {
  const window = new Window(1_000);
  const bytes = Array.from({ length: 16 }, (_, at) => String.fromCharCode(255 - at)).join("");
  const atMs = 1_763_000_000_123;
  window.set(digest(1), bytes, atMs);
  t.equal(window.get(digest(1), atMs + 999), bytes);
  t.equal(window.get(digest(1), atMs + 1_000), undefined);
});

t.test("setting again replaces the entry and its time", async (t) => {
  const window = new Window(1_000);
  window.set(digest(1), value, 5_000);
  window.set(digest(1), "fedcba9876543210", 5_500);
  t.equal(window.get(digest(1), 6_400), "fedcba9876543210");
  t.equal(window.get(digest(1), 6_500), undefined);
});

t.test("a window grows and keeps every entry", async (t) => {
  const window = new Window(300_000);
  for (let number = 0; number < 20_000; number++)
    window.set(digest(number), digest(-number - 1), 1_000_000 + number);
  let found = 0;
  for (let number = 0; number < 20_000; number++)
    if (window.get(digest(number), 1_020_000) === digest(-number - 1)) found++;
  t.equal(found, 20_000);
});

t.test("keys that begin alike do not hide each other", async (t) => {
  const window = new Window(1_000);
  const alike = Array.from({ length: 500 }, (_, at) => `same first${String(at).padStart(6, "0")}`);
  for (const key of alike) window.set(key, key, 5_000);
  t.ok(alike.every((key) => window.get(key, 5_000) === key));
});

t.test("entries of the last window outlive the change of generations", async (t) => {
  const window = new Window(1_000);
  const wrong: number[] = [];
  for (let atMs = 10_000; atMs < 20_000; atMs += 10) {
    window.set(digest(atMs), value, atMs);
    if (atMs < 11_000) continue;
    if (window.get(digest(atMs - 990), atMs) !== value) wrong.push(atMs);
    if (window.get(digest(atMs - 1_000), atMs) !== undefined) wrong.push(-atMs);
  }
  t.strictSame(wrong, []);
});

t.test("a removed entry is gone, in whichever generation it stood", async (t) => {
  const window = new Window(1_000);
  window.set(digest(1), value, 10_000);
  window.set(digest(2), value, 10_000);
  window.remove(digest(1));
  t.equal(window.get(digest(1), 10_000), undefined);
  t.equal(window.get(digest(2), 10_000), value);
  window.set(digest(3), value, 10_900);
  window.set(digest(4), value, 11_100);
  window.remove(digest(3));
  t.equal(window.get(digest(3), 11_200), undefined);
  t.equal(window.get(digest(4), 11_200), value);
  window.set(digest(3), value, 11_300);
  t.equal(window.get(digest(3), 11_400), value, "it can be set again");
});

t.test("a removal from a new generation costs the last one no entry", async (t) => {
  const window = new Window(1_000);
  window.set(digest(1), value, 10_000);
  window.set(digest(2), value, 10_900);
  t.equal(window.get(digest(2), 11_000), value, "a new generation begins");
  window.remove(digest(1));
  window.set(digest(3), value, 11_100);
  t.equal(window.get(digest(2), 11_200), value);
});
