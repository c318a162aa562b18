import { access, mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { OwnFolders, sweepLeftovers } from "../../render-farm/fence/own-folders.ts";

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

t.test("a farm node removes what killed ones left, and nothing that may be in use", async (t) => {
  const now = 1_600_000_000_000;
  const gone = "4194305"; // More than Linux numbers processes.
  const folders: Record<string, string> = {};
  for (const [name, ageMs, maker] of [
    ["klieg-user-old", 90_000_000, undefined],
    ["klieg-user-left", 1_000, gone],
    ["klieg-user-used", 90_000_000, `${process.pid}`],
    ["klieg-user-begun", 1_000, undefined],
    ["klieg-pipe-old", 90_000_000, undefined],
    ["klieg-pipe-new", 80_000_000, undefined],
    ["klieg-node-left", 1_000, gone],
    ["klieg-node-used", 90_000_000, `${process.pid}`],
    ["klieg-node-begun", 1_000, undefined],
    ["other-old", 90_000_000, gone],
  ] as const) {
    const folder = join(tmpdir(), `${name}-${process.pid}`);
    await mkdir(folder);
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    if (maker !== undefined) await writeFile(join(folder, "maker"), maker);
    await utimes(folder, (now - ageMs) / 1_000, (now - ageMs) / 1_000);
    folders[name] = folder;
  }
  await sweepLeftovers(now);
  const left = Object.entries(folders).map(async ([name, path]) => [name, await exists(path)]);
  t.strictSame(Object.fromEntries(await Promise.all(left)), {
    "klieg-user-old": false,
    "klieg-user-left": false,
    "klieg-user-used": true,
    "klieg-user-begun": true,
    "klieg-pipe-old": false,
    "klieg-pipe-new": true,
    "klieg-node-left": false,
    "klieg-node-used": true,
    "klieg-node-begun": true,
    "other-old": true,
  });
});

t.test("no two folders are one, and a removed one leaves nothing", async (t) => {
  const folders = new OwnFolders(false);
  const [one, other] = await Promise.all([folders.lend(), folders.lend()]);
  t.not(one.path, other.path);
  t.equal(one.user, undefined);
  await Promise.all([one.remove(), other.remove()]);
  t.notOk(await exists(one.farmFolder));
});
