/** Tests properties that only buckets have, on Swift and on the S3 server of the environment. */
import { randomBytes, randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import type { ObjectStore } from "../../config/settings.ts";
import { prepareBucket } from "../../engine/adapters/s3/bucket.ts";
import { openRequests, s3Bounds } from "../../engine/adapters/s3/requests.ts";
import { s3Objects } from "../../engine/adapters/s3/s3-objects.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { findNamedStore, swiftStore } from "../s3/swift.ts";

const mebibyte = 1024 ** 2;
const whole = { start: 0, end: Number.MAX_SAFE_INTEGER };

async function readBytes(objects: Objects, key: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(key, whole)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

t.test("a bucket of Swift", async (t) => testBucket(t, await swiftStore(t)));

const named = findNamedStore();
t.test(
  "a bucket of the S3 server of the environment",
  { skip: named === undefined && "TEST_S3_ENDPOINT names none" },
  async (t) => {
    if (named !== undefined) await testBucket(t, named);
  },
);

async function testBucket(t: Test, store: ObjectStore): Promise<void> {
  const s3 = openRequests(store);
  const objects = s3Objects(s3);
  await prepareBucket(s3, systemClock.nowMs(), () => undefined);
  await prepareBucket(s3, systemClock.nowMs(), () => undefined);

  t.test("a signed URL gets or puts one object, without any other credential", async (t) => {
    const bytes = randomBytes(300_000);
    const put = `${await objects.presign?.("PUT", "signed/a", 60)}`;
    t.equal((await fetch(put, { method: "PUT", body: bytes })).status, 200);
    t.ok((await readBytes(objects, "signed/a")).equals(bytes));
    const get = `${await objects.presign?.("GET", "signed/a", 60)}`;
    t.ok(Buffer.from(await (await fetch(get)).arrayBuffer()).equals(bytes));
    const ranged = await fetch(get, { headers: { range: "bytes=10-19" } });
    t.ok(Buffer.from(await ranged.arrayBuffer()).equals(bytes.subarray(10, 20)));
    t.equal((await fetch(get.replace("/signed/a?", "/signed/b?"))).status, 403, "another object");
    t.equal((await fetch(get, { method: "DELETE" })).status, 403, "another method");
    t.equal((await fetch(put)).status, 403);
    t.notOk(get.includes(store.secretKey));
  });

  t.test("a signed URL ends", async (t) => {
    await objects.put("signed/brief", [Buffer.from("x")]);
    const url = new URL(`${await objects.presign?.("GET", "signed/brief", 60)}`);
    t.equal(url.searchParams.get("X-Amz-Expires"), "60");
    url.searchParams.set("X-Amz-Date", "20200101T000000Z");
    t.equal((await fetch(url)).status, 403);
    await t.rejects(async () => objects.presign?.("GET", "signed/brief", 8 * 86_400), /a week/);
  });

  t.test("what is larger than one copy may be is copied in parts", async (t) => {
    const bytes = randomBytes(12 * mebibyte);
    const small = openRequests(store, { ...s3Bounds, copyBytes: 5 * mebibyte });
    await objects.put("copied/from", [bytes]);
    await s3Objects(small).copy("copied/from", "copied/to");
    t.ok((await readBytes(objects, "copied/to")).equals(bytes));
    await t.rejects(s3Objects(small).copy("copied/none", "copied/to"), /there is no object/);
  });

  t.test("an upload whose source fails leaves no parts", async (t) => {
    async function* failStream(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 3; i++) yield randomBytes(9 * mebibyte);
      throw new Error("the source broke");
    }
    await t.rejects(objects.put("broken", failStream()), { message: "the source broke" });
    t.strictSame(await s3.uploads(), []);
    t.equal(await objects.stat("broken"), undefined);
  });

  t.test("two uploads of one key do not meet: one of them is there whole", async (t) => {
    const both = [randomBytes(20 * mebibyte), randomBytes(20 * mebibyte)];
    await Promise.all(both.map((bytes) => objects.put("twice", [bytes])));
    const found = await readBytes(objects, "twice");
    t.ok(both.some((bytes) => bytes.equals(found)));
  });

  t.test("a reader that leaves early ends its request", async (t) => {
    await objects.put("left", [randomBytes(30 * mebibyte)]);
    for (let i = 0; i < 5; i++)
      for await (const chunk of objects.read("left", whole)) {
        t.ok(chunk.length > 0);
        break;
      }
    t.match(await objects.stat("left"), { sizeBytes: 30 * mebibyte });
  });

  t.test("a wrong secret is named by its setting, and no later try helps", async (t) => {
    const wrong = s3Objects(openRequests({ ...store, secretKey: randomUUID() }));
    const refusal = { name: "PortError", retryable: false, message: /KLIEG_S3_/ };
    await t.rejects(wrong.stat("signed/a"), refusal);
    await t.rejects(wrong.put("signed/a", [Buffer.from("x")]), {
      ...refusal,
      message: /KLIEG_S3_SECRET_KEY/,
    });
    const none = s3Objects(openRequests({ ...store, bucket: `klieg-${randomUUID()}` }));
    await t.rejects(none.put("a", []), { ...refusal, message: /KLIEG_S3_BUCKET/ });
  });
}

t.test("where the store removes nothing, a start removes what is old and volatile", async (t) => {
  const s3 = openRequests(await swiftStore(t));
  const objects = s3Objects(s3);
  const nowMs = systemClock.nowMs();
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  await prepareBucket(s3, nowMs, warn);
  t.match(warnings, [/removes nothing by itself/]);
  await objects.put("volatile/a/b", [Buffer.from("x")]);
  await objects.put("volatile/c", [Buffer.from("x")]);
  await objects.put("kept", [Buffer.from("x")]);
  await s3.begin("half");
  await prepareBucket(s3, nowMs, warn);
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of objects.list()) found.push(key);
    return found.sort();
  };
  t.strictSame(await keys(), ["kept", "volatile/a/b", "volatile/c"], "another node may need them");
  t.equal((await s3.uploads()).length, 1);
  await prepareBucket(s3, nowMs + 25 * 3_600_000, warn);
  t.strictSame(await keys(), ["kept"]);
  t.strictSame(await s3.uploads(), []);
});
