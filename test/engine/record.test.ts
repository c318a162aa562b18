import { createHash } from "node:crypto";
import t from "tap";
import { noHash, readHead, seal, verify } from "../../engine/record.ts";
import { sealRecord } from "./sealed.ts";
import { readTexts } from "./toys.ts";

const head = { shard: 3, epoch: 2, seq: 41, atMs: 1_763_000_000_123 };

t.test("a record gives back its head, its puts and its deletions, in order", async (t) => {
  const { bytes } = sealRecord(head, { b: '{"x":1}', a: undefined, c: '""' }, noHash);
  t.strictSame(readHead(bytes), head);
  t.strictSame(readTexts(bytes), [
    ["b", '{"x":1}'],
    ["a", undefined],
    ["c", '""'],
  ]);
});

t.test("keys are bytes and values are any text", async (t) => {
  const rows = { "\0\xff\x80 key": '"é 漢字 🎈 \\u0000"', ["k".repeat(255)]: "[]" };
  const { bytes } = sealRecord(head, rows, noHash);
  t.strictSame(readTexts(bytes), Object.entries(rows));
});

t.test("a record without writes is a record", async (t) => {
  const { bytes, hash } = sealRecord(head, {}, noHash);
  t.strictSame(readTexts(bytes), []);
  t.strictSame(verify(bytes, noHash), { ...head, hash });
});

t.test("no bytes stand for no writes", async (t) => {
  t.strictSame(readTexts(new Uint8Array(0)), []);
});

t.test("a record larger than any before it is sealed whole", async (t) => {
  const large = JSON.stringify("é".repeat(800_000));
  const { bytes, hash } = sealRecord(head, { a: large, b: "1" }, noHash);
  t.equal(verify(bytes, noHash)?.hash, hash);
  t.ok(readTexts(bytes)[0]?.[1] === large);
  t.strictSame(readTexts(bytes)[1], ["b", "1"]);
});

t.test("sealing the next record leaves the bytes of the last one alone", async (t) => {
  const first = sealRecord(head, { a: '"first"' }, noHash);
  const before = Buffer.from(first.bytes).toString("hex");
  sealRecord({ ...head, seq: 42 }, { a: '"second"' }, first.hash);
  t.equal(Buffer.from(first.bytes).toString("hex"), before);
});

t.test("values are taken from where they stand, with whatever stands between them", async (t) => {
  const values = Buffer.from('"old""b""a""new"');
  const spans = new Map([
    ["c", { start: 11, end: 16 }],
    ["d", { start: -1, end: -1 }],
    ["a", { start: 8, end: 11 }],
    ["b", { start: 5, end: 8 }],
  ]);
  t.strictSame(readTexts(seal(head, spans, values, noHash).bytes), [
    ["c", '"new"'],
    ["d", undefined],
    ["a", '"a"'],
    ["b", '"b"'],
  ]);
});

t.test("a record may lie anywhere in a larger buffer", async (t) => {
  const { bytes, hash } = sealRecord(head, { a: '"1"', b: undefined }, noHash);
  const room = new Uint8Array(bytes.length + 13);
  room.set(bytes, 13);
  const inside = room.subarray(13);
  t.equal(verify(inside, noHash)?.hash, hash);
  t.strictSame(readTexts(inside), readTexts(bytes));
});

t.test("I1: the hash is sha256 of the previous hash and the body", async (t) => {
  const first = sealRecord(head, { a: "1" }, noHash);
  const second = sealRecord({ ...head, seq: 42 }, { a: "2" }, first.hash);
  const expected = createHash("sha256")
    .update(first.hash, "hex")
    .update(second.bytes.subarray(0, -32))
    .digest("hex");
  t.equal(second.hash, expected);
  t.equal(Buffer.from(second.bytes.subarray(-32)).toString("hex"), expected);
  t.equal(verify(second.bytes, first.hash)?.hash, second.hash);
});

t.test("I1: equal records have equal bytes", async (t) => {
  const rows = { a: '"1"', b: undefined };
  t.strictSame(sealRecord(head, rows, noHash), sealRecord(head, rows, noHash));
});

t.test("I1: a record that follows another one is refused", async (t) => {
  const first = sealRecord(head, { a: "1" }, noHash);
  const second = sealRecord({ ...head, seq: 42 }, { a: "2" }, first.hash);
  t.equal(verify(second.bytes, noHash), undefined);
});

t.test("I1: a record of which any byte was changed is refused", async (t) => {
  const { bytes } = sealRecord(head, { abc: '"text"', d: undefined }, noHash);
  const unseen: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const tampered = Uint8Array.from(bytes);
    tampered[at] = (tampered[at] ?? 0) ^ 1;
    if (isTrusted(tampered)) unseen.push(at);
  }
  t.strictSame(unseen, []);
});

t.test("bytes that are cut short are refused", async (t) => {
  const { bytes } = sealRecord(head, { a: "1" }, noHash);
  for (const length of [0, 1, 27, 28, 59, bytes.length - 1])
    t.equal(verify(bytes.subarray(0, length), noHash), undefined);
});

function isTrusted(bytes: Uint8Array): boolean {
  return verify(bytes, noHash) !== undefined;
}

t.test("a key has at most 255 bytes", async (t) => {
  const long = () => sealRecord(head, { ["k".repeat(256)]: "1" }, noHash);
  t.throws(long, { name: "BrokenInvariant" });
});
