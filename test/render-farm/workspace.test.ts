import { access, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { sweepLeftovers } from "../../render-farm/workspace.ts";

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

t.test("a farm node removes what killed ones left, and nothing that may be in use", async (t) => {
  const now = 1_600_000_000_000;
  const folders: Record<string, string> = {};
  for (const [kind, ageMs] of [
    ["klieg-task-", 90_000_000],
    ["klieg-browser-", 90_000_000],
    ["klieg-pipe-", 80_000_000],
    ["klieg-node-", 90_000_000],
    ["other-", 90_000_000],
  ] as const) {
    const folder = await mkdtemp(join(tmpdir(), kind));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "file"), "left");
    await utimes(folder, (now - ageMs) / 1_000, (now - ageMs) / 1_000);
    folders[kind] = folder;
  }
  await sweepLeftovers(now);
  const left = Object.entries(folders).map(async ([kind, path]) => [kind, await exists(path)]);
  t.strictSame(Object.fromEntries(await Promise.all(left)), {
    "klieg-task-": false,
    "klieg-browser-": false,
    "klieg-pipe-": true,
    "klieg-node-": true,
    "other-": true,
  });
});
