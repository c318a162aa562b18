import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import t, { type Test } from "tap";
import { limits } from "../../config/limits.ts";
import { urlObjects } from "../../engine/adapters/farm/url-objects.ts";
import { openWeb } from "../../engine/adapters/web.ts";
import { plainObjects } from "../../engine/plain-objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { startSignedStore } from "../signed-store.ts";

async function open(t: Test) {
  const store = await startSignedStore(t);
  const { objects } = store;
  const folder = t.testdir();
  const links: string[] = [];
  const reached = urlObjects({
    urls: {
      async urlFor(order, key) {
        const url = await objects.presign?.(order === "get" ? "GET" : "PUT", key, 60);
        links.push(url ?? "");
        return url ?? "";
      },
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
  return { ...store, reached, whole, folder, links };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

t.test("what is put is there, whole and in parts", async (t) => {
  const { reached, objects, whole } = await open(t);
  const bytes = Buffer.from("a red kite");
  const stored = { sizeBytes: bytes.length, sha256: sha256(bytes) };
  t.strictSame(await reached.put("a/b", [bytes.subarray(0, 4), bytes.subarray(4)]), stored);
  t.match(await objects.stat("a/b"), { sizeBytes: 10 });
  t.match(await reached.stat("a/b"), { sizeBytes: 10 });
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
  t.match(await reached.stat("empty"), { sizeBytes: 0 });
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

t.test("B6: a link that the store refuses is asked for again, a fresh one each time", async (t) => {
  for (const status of [400, 401, 403, 429, 503]) {
    const { reached, fail, links, objects } = await open(t);
    fail(1, "refuse", status);
    await reached.put("jobs/1/0.png", [Buffer.from("kite")]);
    t.equal(new Set(links).size, 2, `${status}`);
    fail(1, "refuse", status);
    t.match(await reached.stat("jobs/1/0.png"), { sizeBytes: 4 });
    t.equal(new Set(links).size, 4, `${status}`);
    t.match(await objects.stat("jobs/1/0.png"), { sizeBytes: 4 });
  }
});

t.test("B6: what a customer reads of a store names no objects, no stores, no hosts", async (t) => {
  const { reached, fail, asked } = await open(t);
  const notes: string[] = [];
  const plain = plainObjects(reached, ({ message }) => notes.push(message));
  const first = async (key: string) => {
    for await (const _ of plain.read(key, { start: 0, end: 9 }));
  };
  const sentence = { message: /^A file [a-z ]+\.$/ };
  await t.rejects(first("jobs/1/0.png"), { ...sentence, retryable: false });
  await t.rejects(plain.copy("jobs/1/0.png", "jobs/1/1.png"), sentence);
  fail(4, "refuse", 403);
  const put = plain.put("jobs/1/0.png", [Buffer.from("kite")]);
  await t.rejects(put, { ...sentence, retryable: true });
  t.equal(asked.length, 2 + 4);
  t.match(notes.at(-1), /403/, "the operator learns of it");
  const broken = (async function* () {
    yield Buffer.from("k");
    throw new PortError("The result is too large to be stored.", false);
  })();
  const own = { message: "The result is too large to be stored." };
  await t.rejects(plain.put("jobs/1/0.png", broken), own, "its own fault stays as it is");
});
