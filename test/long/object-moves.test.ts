/** Moves the objects of a stopped service to a bucket of a real S3 server, and back. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { type Environment, startKlieg } from "../crash/klieg-process.ts";
import { createLink, draw, readSettings, upload, wav } from "../crash/stored-media.ts";
import { swiftStore } from "../s3/swift.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");

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
