/**
 * Tests a whole service whose objects are in a bucket of a real S3 server; how objects are moved
 * there: `object-moves`.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import type { ObjectStore } from "../../config/settings.ts";
import type { Asset } from "../../contract/asset.ts";
import { openRequests } from "../../engine/adapters/s3/requests.ts";
import { s3Objects } from "../../engine/adapters/s3/s3-objects.ts";
import { ask } from "../crash/accounts.ts";
import {
  type Environment,
  firstToken,
  isOneSentence,
  startAndFail,
  startKlieg,
} from "../crash/klieg-process.ts";
import { createLink, draw, post, readSettings, upload, wav } from "../crash/stored-media.ts";
import { freePort } from "../http/raw-http.ts";
import { startSwift, swiftStore } from "../s3/swift.ts";

t.test("an upload is stored in the bucket, and read by its signed link", async (t) => {
  const store = await swiftStore(t);
  const settings = readSettings(store);
  const dataDir = t.testdir();
  // The farm probes the upload without having the service's secret.
  const loud = { KLIEG_LOG_LEVEL: "trace", KLIEG_FARM_WORKERS: "1", KLIEG_ISOLATION: "off" };
  const first = await startKlieg(t, dataDir, { ...settings, ...loud });
  const noise = wav(randomBytes(20_000_000));
  const { id, status } = await upload(first.port, noise);
  t.equal(status, "processing");
  t.equal(await probe(first.port, id), "ready");
  const read = await createLink(first.port, id);
  t.ok((await read()).equals(noise), "all of it");
  t.ok((await read("bytes=8388600-8388700")).equals(noise.subarray(8_388_600, 8_388_701)));
  t.ok((await read("bytes=-10")).equals(noise.subarray(-10)), "its end");
  const kinds = (await listKeys(store)).map((key) => key.slice(key.lastIndexOf(".")));
  t.strictSame(kinds.sort(), [".png", ".wav"], "with its picture");
  t.notOk(existsSync(join(dataDir, "objects")), "nothing is on the disk");
  const { stdout, stderr } = await first.kill("SIGTERM");
  t.notOk(`${stdout}${stderr}`.includes(store.secretKey), "no secret is logged");
  t.match(stderr, /the object store removes nothing by itself/, "the operator is told of Swift");

  const second = await startKlieg(t, dataDir, settings);
  t.ok((await (await createLink(second.port, id))()).equals(noise), "after a restart, too");
  await second.kill("SIGTERM");
  const onDisk = await startAndFail(t, dataDir);
  isOneSentence(t, onDisk, /are in an object store; set KLIEG_S3_\* to it/);
});

t.test("a store that cannot be used ends the start with one sentence", async (t) => {
  const store = await swiftStore(t);
  const settings = readSettings(store);
  const dead = `http://127.0.0.1:${await freePort()}`;
  const cases: readonly (readonly [Environment, RegExp])[] = [
    [{ KLIEG_S3_SECRET_KEY: "another" }, /KLIEG_S3_SECRET_KEY; set it to the secret/],
    [{ KLIEG_S3_ACCESS_KEY: "another:key" }, /KLIEG_S3_ACCESS_KEY/],
    [{ KLIEG_S3_REGION: "mars-1" }, /set KLIEG_S3_REGION/],
    [{ KLIEG_S3_ENDPOINT: dead }, /KLIEG_S3_ENDPOINT does not answer/],
  ];
  for (const [wrong, sentence] of cases) {
    const ended = await startAndFail(t, t.testdir(), { ...settings, ...wrong });
    isOneSentence(t, ended, sentence);
    t.notOk(ended.stderr.includes(store.secretKey), "without the secret");
  }
  const dataDir = t.testdir();
  await (await startKlieg(t, dataDir)).kill("SIGTERM");
  isOneSentence(t, await startAndFail(t, dataDir, settings), /run klieg objects move --to s3/);
});

t.test("a store that goes away costs its requests, and nothing else", async (t) => {
  const { store, close } = await startSwift();
  t.teardown(close);
  const { port } = await startKlieg(t, t.testdir(), readSettings(store));
  const { read } = await draw(port);
  await close();
  const reply = await post(port, wav(randomBytes(1_000)));
  t.equal(reply.status, 503);
  t.ok(reply.headers.get("retry-after"));
  await t.rejects(read(), "a link breaks off, since its length was said");
  t.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  t.equal((await ask(port, firstToken, "/me")).status, 200);
});

async function listKeys(store: ObjectStore): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of s3Objects(openRequests(store)).list("assets")) keys.push(key);
  return keys;
}

/** Waits for the farm's probe of an asset; returns the asset's status. */
async function probe(port: number, id: string): Promise<string> {
  for (;;) {
    const { json } = await ask<Asset>(port, firstToken, `/assets/${id}`);
    if (json.status !== "processing") return json.status;
    await delay(20);
  }
}
