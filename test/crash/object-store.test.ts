/** Tests a whole service whose objects are in a bucket of a real S3 server. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import type { ObjectStore } from "../../config/settings.ts";
import type { Asset } from "../../contract/asset.ts";
import type { Job } from "../../contract/job.ts";
import { openRequests } from "../../engine/adapters/s3/requests.ts";
import { s3Objects } from "../../engine/adapters/s3/s3-objects.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { freePort } from "../http/raw-http.ts";
import { startSwift, swiftStore } from "../s3/swift.ts";
import { ask } from "./accounts.ts";
import {
  type Environment,
  firstToken,
  isOneSentence,
  startAndFail,
  startKlieg,
} from "./klieg-process.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");

function readSettings(store: ObjectStore): Record<string, string> {
  return {
    KLIEG_S3_ENDPOINT: store.endpoint,
    KLIEG_S3_BUCKET: store.bucket,
    KLIEG_S3_ACCESS_KEY: store.accessKey,
    KLIEG_S3_SECRET_KEY: store.secretKey,
  };
}

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

t.test("klieg objects move brings a stopped service's objects to a bucket, and back", async (t) => {
  const settings = readSettings(await swiftStore(t));
  const dataDir = t.testdir();
  const folder = join(dataDir, "objects");
  const atHome = await startKlieg(t, dataDir);
  const { id } = await draw(atHome.port);
  const noise = wav(randomBytes(12_000_000));
  await upload(atHome.port, noise);
  const busy = await move(dataDir, settings, "--to", "s3");
  t.match(busy, { code: 1, err: /Another Klieg process uses/ });
  await atHome.kill("SIGTERM");
  t.match(await move(dataDir, {}, "--to", "s3"), { code: 1, err: /No object store is configured/ });
  t.match(await move(dataDir, settings), { code: 2, err: /--to s3 or --to disk/ });
  const wrong = { ...settings, KLIEG_S3_SECRET_KEY: "wrong" };
  t.match(await move(dataDir, wrong, "--to", "s3"), { code: 1, err: /KLIEG_S3_SECRET_KEY/ });

  const out = await move(dataDir, settings, "--to", "s3");
  t.match(out, { code: 0, out: /^\d+ objects moved \(\d+\.\d MB\); all objects are in/ });
  t.match(await move(dataDir, settings, "--to", "s3"), { code: 0, err: /already in the bucket/ });
  t.ok(filesBelow(folder) > 0, "the disk has them still");
  t.match(await move(dataDir, settings, "--to", "s3", "--remove-source"), { code: 0 });
  t.equal(filesBelow(folder), 0);

  const away = await startKlieg(t, dataDir, settings);
  const picture = Buffer.from(simulatedMedia.image.bytes);
  t.ok((await (await createLink(away.port, id))()).equals(picture));
  await away.kill("SIGTERM");

  const back = await move(dataDir, settings, "--to", "disk", "--remove-source");
  t.match(back, { code: 0, out: /all objects are on the local disk/ });
  const again = await startKlieg(t, dataDir);
  t.ok((await (await createLink(again.port, id))()).equals(picture));
  await again.kill("SIGTERM");
  const [key = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".wav"),
  );
  t.ok(readFileSync(join(folder, key)).equals(noise));
});

function filesBelow(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** Runs `klieg objects move`; returns its exit code and output. */
async function move(dataDir: string, settings: Environment, ...args: readonly string[]) {
  const child = spawn(process.execPath, [commandLine, "objects", "move", ...args], {
    env: { PATH: process.env["PATH"], KLIEG_DATA_DIR: dataDir, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [[code], out, err] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, err };
}

/** Builds a WAV file with these samples. */
function wav(samples: Buffer): Buffer {
  const header = Buffer.from("RIFF....WAVEfmt ....................data....", "latin1");
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(16, 16);
  // PCM with one channel, 48,000 samples per second, one byte per sample.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(48_000, 24);
  header.writeUInt32LE(48_000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

async function upload(port: number, bytes: Buffer): Promise<Asset> {
  return (await (await post(port, bytes)).json()) as Asset;
}

function post(port: number, bytes: Buffer): Promise<Response> {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(bytes)], "noise.wav", { type: "audio/wav" }));
  const headers = { authorization: `Bearer ${firstToken}` };
  const url = `http://127.0.0.1:${port}/v1/assets`;
  return fetch(url, { method: "POST", headers, body: form });
}

/** Generates a picture; returns its asset's id and a function that reads it through its link. */
async function draw(port: number) {
  const image = { model: "sim-instant", prompt: "a kite" };
  const { json: job } = await ask<Job>(port, firstToken, "/generate/image", image);
  const wait = `/jobs/${job.id}/wait?timeout_seconds=60`;
  const id = (await ask<Job>(port, firstToken, wait)).json.asset?.id ?? "";
  return { id, read: await createLink(port, id) };
}

async function createLink(port: number, id: string) {
  const { json } = await ask<Asset>(port, firstToken, `/assets/${id}`);
  return async (range?: string): Promise<Buffer> => {
    const url = json.signed_url.replace("127.0.0.1:8080", `127.0.0.1:${port}`);
    const reply = await fetch(url, range === undefined ? {} : { headers: { range } });
    if (reply.status !== (range === undefined ? 200 : 206)) throw new Error(`${reply.status}`);
    return Buffer.from(await reply.arrayBuffer());
  };
}

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
