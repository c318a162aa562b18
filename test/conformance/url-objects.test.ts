import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import t, { type Test } from "tap";
import { limits } from "../../config/limits.ts";
import { urlObjects } from "../../engine/adapters/farm/url-objects.ts";
import { openWeb } from "../../engine/adapters/web.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { startSignedStore } from "../signed-store.ts";

async function open(t: Test) {
  const store = await startSignedStore(t);
  const { objects } = store;
  const folder = t.testdir();
  const reached = urlObjects({
    urls: {
      urlFor: (order, key) =>
        objects.presign?.(order === "get" ? "GET" : "PUT", key, 60) ?? Promise.reject(),
      remove: (key) => objects.remove(key),
    },
    web: openWeb(),
    signal: new AbortController().signal,
    folder,
  });
  const whole = async (key: string, start = 0, end = Number.MAX_SAFE_INTEGER): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of reached.read(key, { start, end })) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return { ...store, reached, whole, folder };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

t.test("what is put is there, whole and in parts", async (t) => {
  const { reached, objects, whole } = await open(t);
  const bytes = Buffer.from("a red kite");
  const stored = { sizeBytes: bytes.length, sha256: sha256(bytes) };
  t.strictSame(await reached.put("a/b", [bytes.subarray(0, 4), bytes.subarray(4)]), stored);
  t.strictSame(await objects.stat("a/b"), { sizeBytes: 10 });
  t.strictSame(await reached.stat("a/b"), { sizeBytes: 10 });
  t.equal((await whole("a/b")).toString(), "a red kite");
  t.equal((await whole("a/b", 2, 5)).toString(), "red");
  t.equal((await whole("a/b", 10)).toString(), "");
  await reached.copy("a/b", "c");
  t.equal((await whole("c")).toString(), "a red kite");
  await reached.remove("a/b");
  t.equal(await reached.stat("a/b"), undefined);
});

t.test("an empty object has no bytes", async (t) => {
  const { reached, whole } = await open(t);
  t.match(await reached.put("empty", []), { sizeBytes: 0 });
  t.strictSame(await reached.stat("empty"), { sizeBytes: 0 });
  t.equal((await whole("empty")).length, 0);
});

t.test("what is not there is missed", async (t) => {
  const { reached, whole } = await open(t);
  t.equal(await reached.stat("none"), undefined);
  const missing = new PortError("there is no object none", false);
  await t.rejects(whole("none"), missing);
  await t.rejects(reached.copy("none", "c"), missing);
  t.equal(await reached.link("none", "/tmp/none"), undefined);
});

t.test("a large result is held in a file, which goes", async (t) => {
  const { reached, whole, folder } = await open(t);
  const bytes = Buffer.alloc(limits.farm.heldBytesMax + 100_000, "kite");
  const pieces = Array.from({ length: 50 }, (_, at) => {
    const size = Math.ceil(bytes.length / 50);
    return bytes.subarray(at * size, (at + 1) * size);
  });
  t.match(await reached.put("large", pieces), { sha256: sha256(bytes) });
  t.ok((await whole("large")).equals(bytes));
  t.strictSame(readdirSync(folder), []);
});

t.test("a store that is busy, or breaks off, is asked again", async (t) => {
  const { reached, fail, whole, asked } = await open(t);
  const bytes = Buffer.alloc(300_000, "kite");
  fail(1, "refuse");
  await reached.put("a", [bytes]);
  fail(1, "refuse");
  t.match(await reached.stat("a"), { sizeBytes: 300_000 });
  fail(2, "break");
  t.ok((await whole("a")).equals(bytes));
  t.equal(asked.length, 2 + 2 + 3);
});

t.test("a store that stays away is an operating fault that may pass", async (t) => {
  const { reached, fail } = await open(t);
  fail(100, "refuse");
  await t.rejects(reached.stat("a"), new PortError("the object store answered 503", true));
});
