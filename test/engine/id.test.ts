import t from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { firstIdAt, IdMint, idBytes, idOfBytes, parseId, partitionOfId } from "../../engine/id.ts";

const startMs = 0x0199_0000_0000;

function mint(): { ids: IdMint; clock: ManualClock } {
  const clock = new ManualClock(startMs);
  return { ids: new IdMint(clock, createSeededEntropy(7)), clock };
}

t.test("an id is a UUIDv7 with the partition in the low 8 bits of rand_a", async (t) => {
  const { ids } = mint();
  t.match(ids.under(0xab), /^01990000-0000-70ab-8000-[0-9a-f]{12}$/);
  for (const partition of [0, 1, 127, 128, 255]) {
    const id = ids.under(partition);
    t.equal(partitionOfId(id), partition);
    t.equal(id[14], "7", "version 7");
    t.match(id[19], /[89ab]/, "variant of RFC 9562");
    t.equal(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16), startMs);
  }
});

t.test("a scope's partition is drawn when its id is minted", async (t) => {
  const { ids } = mint();
  const partitions = new Set(Array.from({ length: 200 }, () => partitionOfId(ids.scope())));
  t.ok(partitions.size > 80, `${partitions.size} of 256 partitions in 200 draws`);
});

t.test("ids of one minter rise within a millisecond", async (t) => {
  const { ids, clock } = mint();
  const minted: string[] = [];
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 1_000; count++) minted.push(ids.under(9));
    clock.advance(1);
  }
  t.ok(isRising(minted), "within a millisecond and after it");
  t.equal(new Set(minted).size, 3_000);
});

t.test("ids rise beyond 16,384 in one millisecond", async (t) => {
  const { ids } = mint();
  const minted = Array.from({ length: 40_000 }, () => ids.under(9));
  t.ok(isRising(minted));
  t.match(minted[16_383], /-bfff-/);
  t.match(minted[16_384], /^01990000-0001-7009-8000-/);
});

t.test("ids rise while the clock runs backwards", async (t) => {
  const { ids, clock } = mint();
  const minted = [ids.under(9)];
  for (const byMs of [-5, -100_000, 50, 99_000, 2_000]) {
    clock.jump(byMs);
    minted.push(ids.under(9), ids.under(9));
  }
  t.ok(isRising(minted));
});

t.test("an id becomes sixteen bytes and comes back", async (t) => {
  const { ids } = mint();
  const id = ids.under(0xff);
  t.equal(idBytes(id).length, 16);
  t.equal(idOfBytes(idBytes(id)), id);
  t.equal(idOfBytes(`ab${idBytes(id)}cd`, 2), id);
  t.equal(
    Buffer.from(idBytes("00112233-4455-6677-8899-aabbccddeeff"), "latin1").toString("hex"),
    "00112233445566778899aabbccddeeff",
  );
});

t.test("ids as bytes have the order of their text", async (t) => {
  const { ids, clock } = mint();
  const minted: string[] = [];
  for (let count = 0; count < 200; count++) {
    minted.push(ids.under(count & 255));
    clock.advance(count);
  }
  const byBytes = [...minted].sort((a, b) => (idBytes(a) < idBytes(b) ? -1 : 1));
  t.strictSame(byBytes, [...minted].sort());
});

t.test("the first id of an instant is below all that are minted then", async (t) => {
  const { ids, clock } = mint();
  const before = ids.under(9);
  clock.advance(1);
  const first = firstIdAt(startMs + 1, 9);
  t.ok(first > before);
  t.ok(first < ids.under(9));
  t.equal(first, "01990000-0001-7009-0000-000000000000");
});

t.test("an id is taken in either case, and nothing else is", async (t) => {
  const id = "01990000-0001-7009-8000-00000000abcd";
  t.equal(parseId(id), id);
  t.equal(parseId(id.toUpperCase()), id);
  for (const text of [
    "",
    "x",
    `${id} `,
    id.slice(1),
    id.replace("a", "g"),
    id.replaceAll("-", ""),
    `${id.slice(0, 35)}é`,
  ])
    t.equal(parseId(text), undefined);
});

function isRising(ids: readonly string[]): boolean {
  return ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? ""));
}
