/** Tests `klieg reshard` on the store of a real service that was killed under load. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import type { Job } from "../../contract/job.ts";
import { type Acknowledged, allBalance, allEnd, ask, createOwners, inTurns } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

const commandLine = join(import.meta.dirname, "..", "..", "cli", "main.js");

t.test("jobs that run when the service dies end on the new shards", async (t) => {
  const dataDir = join(t.testdir(), "data");
  const service = await startKlieg(t, dataDir, { KLIEG_SHARDS: "1" });
  const owners = await createOwners(service.port, 8);
  const jobs = await inTurns(64, 16, async (n): Promise<Acknowledged> => {
    const owner = owners[n % owners.length] ?? { token: "", opening: 0 };
    const body = { model: "sim-instant", prompt: `kite ${n} sim:slow=${n % 2 === 0 ? 1 : 3_000}` };
    const { json } = await ask<Job>(service.port, owner.token, "/generate/image", body);
    return { owner, id: json.id };
  });
  const run = (count: string) => {
    const env = { PATH: process.env["PATH"], KLIEG_DATA_DIR: dataDir };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [commandLine, "reshard", count],
      { env, encoding: "utf8" },
    );
    return { status, stdout, stderr };
  };
  await service.kill("SIGKILL");
  t.match(run("3"), { status: 2, stderr: /set it to a power of two from 2 to 128/ });
  t.match(run("4"), { status: 0, stdout: /has 4 shards; start the service\.\n$/ });
  t.match(run("4"), { status: 1, stderr: /already has 4 shards, and their number can only grow/ });

  const again = await startKlieg(t, dataDir);
  await allEnd(t, again.port, jobs);
  await allBalance(t, again.port, owners);
  t.match((await ask(again.port, firstToken, "/admin/invariants")).json, { items: [] });
  t.equal((await again.kill("SIGTERM")).code, 0);
});
