/** Backups of a real service under load, and what is restored from them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import type { Asset } from "../../actors/contract/asset.ts";
import type { Job } from "../../actors/contract/job.ts";
import { type Acknowledged, allEnd, ask, createOwners, type Owner } from "./accounts.ts";
import { failedStart, firstToken, isOneSentence, startKlieg } from "./klieg-process.ts";

const commandLine = join(import.meta.dirname, "..", "..", "http", "cli", "main.js");
const shards = { KLIEG_SHARDS: "4" };

function klieg(dataDir: string, ...args: readonly string[]) {
  const env = { PATH: process.env["PATH"], KLIEG_DATA_DIR: dataDir };
  const child = spawn(process.execPath, [commandLine, ...args], { env });
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, ended };
}

/** Submits by turns of the owners and their accounts' making, until it is told to end. */
function load(port: number, owners: readonly Owner[]) {
  const acknowledged: Acknowledged[] = [];
  let isOver = false;
  const lanes = owners.map(async (owner, lane) => {
    for (let n = 0; !isOver; n++) {
      const body = { model: "sim-instant", prompt: `kite ${lane} ${n}`, num_images: 1 + (n % 4) };
      const { status, json } = await ask<Job>(port, owner.token, "/generate/image", body);
      if (status === 202) acknowledged.push({ owner, id: json.id });
    }
  });
  return {
    acknowledged,
    async end() {
      isOver = true;
      await Promise.all(lanes);
    },
  };
}

/** A service that was backed up under load, and all that it had acknowledged before. */
async function backedUp(t: Test) {
  const folder = t.testdir();
  const dataDir = join(folder, "data");
  const backup = join(folder, "backup");
  const service = await startKlieg(t, dataDir, shards);
  const owners = await createOwners(service.port, 8);
  const running = load(service.port, owners);
  while (running.acknowledged.length < 200) await new Promise(setImmediate);
  const before = [...running.acknowledged];
  const made = await klieg(dataDir, "backup", backup).ended;
  t.match(made, { code: 0, stdout: /is a backup: .* MB of rows, \d+ objects? / }, made.stderr);
  await running.end();
  return { folder, dataDir, backup, service, owners, before };
}

t.test("a backup under load has all that was acknowledged before, and the books are right", async (t) => {
  const { folder, backup, service, owners, before, dataDir } = await backedUp(t);
  const open = readdirSync(backup, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(backup, name)).mode & 0o077,
  );
  t.strictSame(open, [], "no other user reads it");
  await service.kill("SIGKILL");
  rmSync(dataDir, { recursive: true });

  const restored = join(folder, "restored");
  const { code, stdout, stderr } = await klieg(restored, "store", "restore", backup).ended;
  t.match({ code, stdout }, { code: 0, stdout: /is the store as it was at / }, stderr);
  const again = await startKlieg(t, restored, shards);
  await allEnd(t, again.port, before);
  t.match((await ask(again.port, firstToken, "/admin/invariants")).json, { items: [] });
  const { json } = await ask<{ items: Asset[] }>(again.port, owners[0]?.token ?? "", "/assets");
  t.ok(json.items.length > 0);
  const url = new URL(json.items[0]?.signed_url ?? "");
  const reply = await fetch(`http://127.0.0.1:${again.port}${url.pathname}${url.search}`);
  t.equal((await reply.arrayBuffer()).byteLength, json.items[0]?.size_bytes, "objects are there");
  t.equal((await again.kill("SIGTERM")).code, 0);
  const audit = await klieg(restored, "store", "check").ended;
  t.equal(audit.code, 0, audit.stdout);
});

t.test("what is no whole backup is refused with a sentence, and nothing is a store", async (t) => {
  const { folder, backup, dataDir, service } = await backedUp(t);
  const refused = async (change: (copy: string) => void, remedy: RegExp) => {
    const [copy, target] = [join(folder, "copy"), join(folder, "target")];
    for (const path of [copy, target]) rmSync(path, { recursive: true, force: true });
    cpSync(backup, copy, { recursive: true });
    change(copy);
    const { code, stderr } = await klieg(target, "store", "restore", copy).ended;
    t.equal(code, 1);
    t.match(stderr, remedy);
    t.match(stderr, /^[^\n]+\.\n$/, "one sentence");
    t.notOk(existsSync(join(target, "store.json")));
  };
  await refused((copy) => rmSync(join(copy, "backup.json")), /holds no whole backup/);
  await refused(
    (copy) => truncateSync(join(copy, "backup.json"), 40),
    /holds no whole backup/,
  );
  await refused((copy) => writeFileSync(join(copy, "backup.json"), "{}"), /no backup of this version/);
  await refused((copy) => truncateSync(largest(join(copy, "snapshots")), 100), /is damaged/);
  await refused((copy) => writeFileSync(largest(join(copy, "snapshots")), "rows"), /is damaged/);
  await refused((copy) => rmSync(largest(join(copy, "objects"))), /is damaged: it has /);
  const full = await klieg(dataDir, "store", "restore", backup).ended;
  t.match(full, { code: 1, stderr: /Another Klieg process uses / });
  await service.kill("SIGTERM");
  const own = await klieg(dataDir, "store", "restore", backup).ended;
  t.match(own, { code: 1, stderr: /is not empty; set KLIEG_DATA_DIR/ });
  const idle = await klieg(dataDir, "backup", join(folder, "late")).ended;
  t.match(idle, { code: 1, stderr: /^No service uses / });
});

t.test("a death during a backup leaves none, and one during a restore no store", async (t) => {
  const { folder, backup, dataDir, service } = await backedUp(t);
  const taken = await klieg(dataDir, "backup", backup).ended;
  t.match(taken, { code: 1, stderr: /No backup was written: .* is not empty/ });

  const half = join(folder, "half");
  const { ended } = klieg(dataDir, "backup", half);
  await appears(folder, "half");
  await service.kill("SIGKILL");
  t.match(await ended, { code: 1, stderr: /The service has ended, and no backup was written/ });
  const none = await klieg(join(folder, "none"), "store", "restore", half).ended;
  t.match(none, { code: 1, stderr: /holds no whole backup/ });

  const target = join(folder, "target");
  const dying = klieg(target, "store", "restore", backup);
  while (!existsSync(join(target, "shard-0"))) await new Promise(setImmediate);
  dying.child.kill("SIGKILL");
  await dying.ended;
  t.ok(existsSync(join(target, "restoring")));
  isOneSentence(t, await failedStart(t, target, shards), /run klieg store restore again/);
  const again = await klieg(target, "store", "restore", backup).ended;
  t.match(again, { code: 0 }, again.stderr);
  const restored = await startKlieg(t, target, shards);
  t.equal((await restored.kill("SIGTERM")).code, 0);
});

async function appears(folder: string, name: string): Promise<void> {
  const watcher = watch(folder);
  while (!existsSync(join(folder, name))) await once(watcher, "change");
  watcher.close();
}

/** A file below a folder. */
function largest(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return files.reduce((a, b) => (statSync(a).size >= statSync(b).size ? a : b));
}
