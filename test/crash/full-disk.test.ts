/** Tests the real service on a disk of its own that is filled completely (C10). */
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Static } from "../../config/schema.ts";
import type { Job, JobPage } from "../../contract/job.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

/** Mounts a disk that is removed when the test ends; undefined where mounting is not allowed. */
function mountDisk(t: Pick<Test, "teardown">): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "klieg-disk-"));
  const args = ["-t", "tmpfs", "-o", "size=128m,mode=0700", "tmpfs", folder];
  const isMounted = spawnSync("mount", args).status === 0;
  t.teardown(() => {
    if (isMounted) spawnSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  return isMounted ? folder : undefined;
}

const canMount = mountDisk(t) !== undefined;

/** Writes a file that leaves no byte free. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let bytes = 1 << 20; bytes > 0; bytes >>= 1) writeAll(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** The disk counts as full only when no byte is free, and as free again immediately. */
const limits = { http: { diskFreeBytesMin: 1, diskFreeShareMin: 0, diskCheckMs: 50 } };

const kite = (n: number) => ({ model: "sim-instant", prompt: `kite ${n}` });

async function listIds(port: number): Promise<readonly string[]> {
  const { status, json } = await ask<Static<typeof JobPage>>(port, firstToken, "/jobs?limit=100");
  return status === 200 ? json.items.map(({ id }) => id) : [`${status}`];
}

async function accept(port: number, n: number): Promise<Job | undefined> {
  const { status, json } = await ask<Job>(port, firstToken, "/generate/image", kite(n));
  return status === 202 ? json : undefined;
}

for (const signal of ["SIGKILL", "SIGTERM"] as const)
  t.test(
    `after ${signal} a start on a full disk serves what was acknowledged, and writes when there is room`,
    { skip: !canMount && "no disk can be mounted here" },
    async (t: Test) => {
      const folder = t.testdir({ "limits.json": JSON.stringify(limits) });
      const dataDir = mountDisk(t) ?? "";
      const settings = { KLIEG_SHARDS: "1", KLIEG_LIMITS: join(folder, "limits.json") };
      const first = await startKlieg(t, dataDir, settings);
      const jobs: string[] = [];
      for (let n = 0; n < 20; n++) jobs.unshift(`${(await accept(first.port, n))?.id}`);
      await first.kill(signal);
      const filler = join(dataDir, "filler");
      fill(filler);

      const second = await startKlieg(t, dataDir, settings);
      const { port } = second;
      t.strictSame(await listIds(port), jobs);
      for (const id of jobs) t.equal((await ask(port, firstToken, `/jobs/${id}`)).status, 200);
      t.equal((await ask(port, firstToken, "/me/credits")).status, 200);
      t.equal(await accept(port, 20), undefined);
      const token = await ask(port, firstToken, "/tokens", { name: "ci", scopes: ["jobs:read"] });
      t.equal(token.status, 503, "what only the store could refuse as well");
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
      t.match(await ready.json(), { status: "ok", checks: { store: "degraded" } });

      rmSync(filler);
      let job: Job | undefined;
      while (job === undefined) job = await accept(port, 20);
      t.strictSame(await listIds(port), [job.id, ...jobs]);
      t.equal((await second.kill("SIGTERM")).code, 0);
    },
  );
