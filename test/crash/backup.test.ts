/**
 * Tests backups of a real service under load, and stores restored from them; those of a cluster:
 * `test/long/cluster-backup`.
 */
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
import t from "tap";
import type { Asset } from "../../contract/asset.ts";
import { restoreBackup } from "../../engine/adapters/backup/restore-backup.ts";
import { allEnd, ask, createOwners } from "./accounts.ts";
import { klieg, load, shards } from "./backup-load.ts";
import { firstToken, isOneSentence, startAndFail, startKlieg } from "./klieg-process.ts";

t.test("a backup under load is restored whole, or not at all", async (t) => {
  const folder = t.testdir();
  const [dataDir, backup] = [join(folder, "data"), join(folder, "backup")];
  const service = await startKlieg(t, dataDir, shards);
  const owners = await createOwners(service.port, 8);
  const running = load(service.port, owners);
  while (running.acknowledged.length < 200) await new Promise(setImmediate);
  const before = [...running.acknowledged];
  const made = await klieg(dataDir, "backup", backup).ended;
  t.match(made, { code: 0, stdout: /is a backup: .* MB of rows, \d+ objects? / }, made.stderr);
  const open = readdirSync(backup, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(backup, name)).mode & 0o077,
  );
  t.strictSame(open, [], "no other user reads it");
  const taken = await klieg(dataDir, "backup", backup).ended;
  t.match(taken, { code: 1, stderr: /No backup was written: .* is not empty/ });
  await running.end();

  const half = join(folder, "half");
  const dyingBackup = klieg(dataDir, "backup", half);
  await appears(folder, "half");
  await service.kill("SIGKILL");
  const { code, stderr } = await dyingBackup.ended;
  t.match(
    { code, stderr },
    { code: 1, stderr: /The service has ended, and no backup was written/ },
  );
  await t.rejects(restoreBackup(half, join(folder, "none")), /does not contain a complete backup/);
  t.match(await klieg(dataDir, "backup", half).ended, { code: 1, stderr: /^No service is using / });
  await t.rejects(restoreBackup(backup, dataDir), /is not empty; set KLIEG_DATA_DIR/);

  const restored = join(folder, "restored");
  const dying = klieg(restored, "store", "restore", backup);
  while (!existsSync(join(restored, "shard-0"))) await new Promise(setImmediate);
  dying.child.kill("SIGKILL");
  await dying.ended;
  isOneSentence(t, await startAndFail(t, restored, shards), /run klieg store restore again/);
  const done = await klieg(restored, "store", "restore", backup).ended;
  t.match(done, { code: 0, stdout: /is now the store as of / }, done.stderr);

  const again = await startKlieg(t, restored, shards);
  await allEnd(t, again.port, before);
  t.match((await ask(again.port, firstToken, "/admin/invariants")).json, { items: [] });
  const { json } = await ask<{ items: Asset[] }>(again.port, owners[0]?.token ?? "", "/assets");
  const [asset] = json.items;
  const url = new URL(asset?.signed_url ?? "");
  const reply = await fetch(`http://127.0.0.1:${again.port}${url.pathname}${url.search}`);
  t.equal((await reply.arrayBuffer()).byteLength, asset?.size_bytes, "objects are there");
  t.equal((await again.kill("SIGTERM")).code, 0);

  const changes: readonly (readonly [(copy: string) => void, RegExp])[] = [
    [(copy) => rmSync(join(copy, "backup.json")), /does not contain a complete backup/],
    [(copy) => truncateSync(join(copy, "backup.json"), 40), /does not contain a complete backup/],
    [
      (copy) => writeFileSync(join(copy, "backup.json"), "{}"),
      /was made by another version of Klieg/,
    ],
    [(copy) => truncateSync(largest(join(copy, "snapshots")), 100), /is damaged/],
    [(copy) => writeFileSync(largest(join(copy, "snapshots")), "rows"), /is damaged/],
    [(copy) => rmSync(largest(join(copy, "objects"))), /is damaged: it has /],
  ];
  for (const [at, [change, sentence]] of changes.entries()) {
    const [copy, target] = [join(folder, `copy-${at}`), join(folder, `target-${at}`)];
    cpSync(backup, copy, { recursive: true });
    change(copy);
    await t.rejects(restoreBackup(copy, target), { message: sentence });
    t.notOk(existsSync(join(target, "store.json")), "nothing is a store");
  }
});

async function appears(folder: string, name: string): Promise<void> {
  const watcher = watch(folder);
  while (!existsSync(join(folder, name))) await once(watcher, "change");
  watcher.close();
}

/** Returns the largest file below a folder. */
function largest(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return files.reduce((a, b) => (statSync(a).size >= statSync(b).size ? a : b));
}
