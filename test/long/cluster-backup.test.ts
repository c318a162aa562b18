/** Tests backups of a cluster under load, and stores restored from them. */
import { join } from "node:path";
import t from "tap";
import { type Acknowledged, allEnd, ask, createOwners } from "../crash/accounts.ts";
import { klieg, load, shards } from "../crash/backup-load.ts";
import { openCluster } from "../crash/cluster-nodes.ts";
import { firstToken, startKlieg } from "../crash/klieg-process.ts";

t.test("any node of a cluster backs up what all of them own", async (t) => {
  const { folder, settings, start } = await openCluster(t, shards);
  const [first, second] = [await start("first"), await start("second")];
  const owners = await createOwners(first.port, 8);
  const running = load(first.port, owners);
  while (running.acknowledged.length < 100) await new Promise(setImmediate);
  const backups: { readonly backup: string; readonly before: readonly Acknowledged[] }[] = [];
  for (const name of ["second", "first"]) {
    const before = [...running.acknowledged];
    const backup = join(folder, `backup-${name}`);
    const made = await klieg(join(folder, name), "backup", backup).ended;
    t.match(made, { code: 0, stdout: /is a backup: .* MB of rows/ }, made.stderr);
    backups.push({ backup, before });
  }
  await running.end();
  await Promise.all([first, second].map((node) => node.kill("SIGKILL")));
  const { KLIEG_NATS_URL: _, ...alone } = settings;
  for (const { backup, before } of backups) {
    const restored = `${backup}-restored`;
    const done = await klieg(restored, "store", "restore", backup).ended;
    t.match(done, { code: 0 }, done.stderr);
    const again = await startKlieg(t, restored, alone);
    await allEnd(t, again.port, before);
    t.match((await ask(again.port, firstToken, "/admin/invariants")).json, { items: [] });
    await again.kill("SIGTERM");
  }
});
