import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { ObjectStore } from "../../config/settings.ts";
import { diskObjects, removeStaleTemporaries } from "../../engine/adapters/objects/disk-objects.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { prepareBucket } from "../../engine/adapters/s3/bucket.ts";
import { openRequests } from "../../engine/adapters/s3/requests.ts";
import { s3Objects } from "../../engine/adapters/s3/s3-objects.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import type { ByteRange, Objects } from "../../engine/ports/objects.ts";
import { findNamedStore, swiftStore } from "../s3/swift.ts";

type Open = (t: Test) => Objects | Promise<Objects>;

const adapters: Readonly<Record<string, Open>> = {
  disk: (t) => diskObjects(t.testdir()),
  memory: memoryObjects,
  swift: async (t) => openBucket(await swiftStore(t)),
};
const named = findNamedStore();

async function openBucket(store: ObjectStore): Promise<Objects> {
  const s3 = openRequests(store);
  await prepareBucket(s3, systemClock.nowMs(), () => undefined);
  return s3Objects(s3);
}

const whole: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER };

async function readBytes(objects: Objects, key: string, range = whole): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(key, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function list(objects: Objects, folder?: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { key, sizeBytes } of objects.list(folder)) lines.push(`${key} ${sizeBytes}`);
  return lines.sort();
}

function makePattern(length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 255));
}

function expectLasting(message: RegExp): { name: string; message: RegExp; retryable: boolean } {
  return { name: "PortError", message, retryable: false };
}

for (const [name, open] of Object.entries(adapters))
  t.test(`objects on ${name}`, async (t) => {
    const objects = await open(t);
    for (const part of [testReading, testWriting, testListing, testKeys]) part(t, objects);
  });

t.test(
  "objects on the S3 server of the environment",
  { skip: named === undefined && "TEST_S3_ENDPOINT names none" },
  async (t) => {
    if (named === undefined) return;
    const objects = await openBucket(named);
    for (const part of [testReading, testWriting, testListing, testKeys]) part(t, objects);
  },
);

function testReading(t: Test, objects: Objects): void {
  t.test("what was put is read back, with its size and hash", async (t) => {
    const bytes = makePattern(200_000);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const stored = await objects.put("a/b.bin", [
      bytes.subarray(0, 70_001),
      bytes.subarray(70_001),
    ]);
    t.strictSame(stored, { sizeBytes: 200_000, sha256 });
    t.match(await objects.stat("a/b.bin"), {
      sizeBytes: 200_000,
      version: { tag: /^[\w-]+$/, modifiedMs: Number },
    });
    t.ok((await readBytes(objects, "a/b.bin")).equals(bytes));
  });

  t.test("a copy holds the same bytes, and outlives what it was made of", async (t) => {
    const bytes = makePattern(90_000);
    await objects.put("copies/one", [bytes]);
    await objects.put("copies/two", [makePattern(3)]);
    await objects.copy("copies/one", "copies/two");
    await objects.copy("copies/one", "copies/new/three");
    await objects.put("copies/one", [makePattern(7)]);
    await objects.remove("copies/one");
    for (const key of ["copies/two", "copies/new/three"])
      t.ok((await readBytes(objects, key)).equals(bytes), key);
    await t.rejects(
      objects.copy("copies/none", "copies/four"),
      expectLasting(/there is no object/),
    );
    t.equal(await objects.stat("copies/four"), undefined);
  });

  t.test(
    "an object that is linked stays as it was, and no other bytes have its name",
    async (t) => {
      const folder = t.testdir();
      const first = join(folder, "first");
      const again = join(folder, "again");
      await objects.put("linked", [makePattern(70_000)]);
      const name = await objects.link("linked", first);
      await objects.put("linked", [makePattern(70_000).reverse()]);
      const other = await objects.link("linked", again);
      await objects.remove("linked");
      t.equal(await objects.link("linked", join(folder, "none")), undefined);
      t.equal(existsSync(first), name !== undefined);
      if (name === undefined) return;
      t.ok((await readFile(first)).equals(makePattern(70_000)));
      t.ok((await readFile(again)).equals(makePattern(70_000).reverse()));
      t.not(name, other);
    },
  );

  t.test("a range is its bytes from start to before end", async (t) => {
    const bytes = makePattern(150_000);
    await objects.put("range", [bytes]);
    for (const [start, end] of [
      [0, 1],
      [65_535, 65_537],
      [10, 140_000],
      [149_999, 150_000],
    ] as const)
      t.ok((await readBytes(objects, "range", { start, end })).equals(bytes.subarray(start, end)));
    t.equal((await readBytes(objects, "range", { start: 5, end: 5 })).length, 0);
    t.equal((await readBytes(objects, "range", { start: 149_990, end: 160_000 })).length, 10);
  });

  t.test("chunks are at most 64 KiB", async (t) => {
    await objects.put("chunks", [makePattern(300_000)]);
    for await (const chunk of objects.read("chunks", whole)) t.ok(chunk.length <= 65_536);
  });

  t.test("an empty object is an object", async (t) => {
    await objects.put("empty", []);
    t.match(await objects.stat("empty"), { sizeBytes: 0 });
    t.equal((await readBytes(objects, "empty")).length, 0);
  });

  t.test("a prefix is no object", async (t) => {
    await objects.put("folder/x", [Buffer.from("x")]);
    t.equal(await objects.stat("folder"), undefined);
  });
}

function testWriting(t: Test, objects: Objects): void {
  t.test("a stream is stored whole, larger than what is flushed at a time", async (t) => {
    const chunk = makePattern(1_000_003);
    async function* stream(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 17; i++) yield chunk;
    }
    const { sizeBytes } = await objects.put("stream", stream());
    t.equal(sizeBytes, 17 * 1_000_003);
    const range = { start: 16 * 1_000_003, end: 17 * 1_000_003 };
    t.ok((await readBytes(objects, "stream", range)).equals(chunk));
  });

  t.test("putting again replaces the object", async (t) => {
    await objects.put("again", [Buffer.from("first and longer")]);
    await objects.put("again", [Buffer.from("second")]);
    t.equal((await readBytes(objects, "again")).toString(), "second");
  });

  t.test("a reader that began before a replacement sees the old object", async (t) => {
    await objects.put("replaced", [Buffer.alloc(100_000, 1)]);
    const reader = objects.read("replaced", whole)[Symbol.asyncIterator]();
    const first = await reader.next();
    await objects.put("replaced", [Buffer.alloc(100_000, 2)]);
    const second = await reader.next();
    await reader.return?.();
    t.equal(first.value?.[0], 1);
    t.equal(second.value?.[0], 1);
  });

  t.test("bytes that fail leave the old object and throw their own failure", async (t) => {
    await objects.put("kept", [Buffer.from("old")]);
    async function* failStream(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("half of the new");
      throw new Error("the source broke");
    }
    await t.rejects(objects.put("kept", failStream()), { message: "the source broke" });
    t.equal((await readBytes(objects, "kept")).toString(), "old");
  });

  t.test("what is removed is gone; removing nothing is no error", async (t) => {
    await objects.put("gone/x", [Buffer.from("x")]);
    await objects.remove("gone/x");
    await objects.remove("gone/x");
    await objects.remove("never/was/there");
    t.equal(await objects.stat("gone/x"), undefined);
    await t.rejects(readBytes(objects, "gone/x"), expectLasting(/there is no object/));
  });
}

function testListing(t: Test, objects: Objects): void {
  t.test("what is below a folder is listed, and nothing else", async (t) => {
    await objects.put("lists/a", [makePattern(3)]);
    await objects.put("lists/a-b", [makePattern(4)]);
    await objects.put("lists/c/d/e", [makePattern(70_000)]);
    await objects.put("lists2", [makePattern(5)]);
    t.strictSame(await list(objects, "lists"), ["lists/a 3", "lists/a-b 4", "lists/c/d/e 70000"]);
    t.strictSame(await list(objects, "lists/c"), ["lists/c/d/e 70000"]);
    t.strictSame(await list(objects, "lists/a"), []);
    t.strictSame(await list(objects, "lists/none"), []);
    const all = await list(objects);
    t.ok(["lists/a 3", "lists2 5"].every((line) => all.includes(line)));
    await t.rejects(list(objects, "../lists"), expectLasting(/is not an object key/));
  });
}

function testKeys(t: Test, objects: Objects): void {
  t.test("keys outside the alphabet, too deep, or that climb are refused", async (t) => {
    const keys = [
      "",
      "/a",
      "a/",
      "a//b",
      "..",
      "../a",
      "a/../b",
      "a/.",
      "a b",
      "a\\b",
      "~incoming/a",
      "a\0",
    ];
    for (const key of [...keys, "1/2/3/4/5/6/7/8/9", `a/${"x".repeat(300)}`]) {
      await t.rejects(objects.put(key, []), expectLasting(/is not an object key/), key);
      await t.rejects(objects.stat(key), expectLasting(/is not an object key/), key);
      await t.rejects(readBytes(objects, key), expectLasting(/is not an object key/), key);
      await t.rejects(objects.remove(key), expectLasting(/is not an object key/), key);
    }
    await objects.put("..a/.b./1/2/3/4/5/8", []);
  });
}

t.test("the disk keeps no temporary file after a put, failed or not", async (t) => {
  const root = t.testdir();
  const objects = diskObjects(root);
  await objects.put("fine", [Buffer.from("x")]);
  async function* failStream(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("half");
    throw new Error("broke");
  }
  await t.rejects(objects.put("broken", failStream()));
  t.strictSame(await readdir(join(root, "~incoming")), []);
});

t.test("what a dead writer left behind and what is volatile is removed at the start", async (t) => {
  const root = t.testdir({
    "~incoming": { left: "half" },
    volatile: { a: { b: "whole" } },
    kept: "whole",
  });
  await removeStaleTemporaries(root);
  t.strictSame(await readdir(root), ["kept"]);
  await removeStaleTemporaries(join(root, "not-there-yet"));
  await diskObjects(root).put("works", [Buffer.from("still")]);
});

t.test("a fault of the disk is a PortError", async (t) => {
  const root = t.testdir();
  await writeFile(join(root, "file"), "in the way");
  const objects = diskObjects(root);
  await t.rejects(objects.put("file/below", [Buffer.from("x")]), { name: "PortError" });
  await mkdir(join(root, "folder"));
  await t.rejects(objects.put("folder", [Buffer.from("x")]), { name: "PortError" });
  await rm(root, { recursive: true });
});
