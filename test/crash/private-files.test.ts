/** Tests that no other user can read a data directory, whatever the umask and its creator. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Job } from "../../contract/job.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

const withFarm = { KLIEG_FARM_WORKERS: "1", KLIEG_LOG_LEVEL: "warn" };

/** Returns all paths below a folder, itself included, that other users may access. */
function openToOthers(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return ["", ...paths].filter((path) => (lstatSync(join(folder, path)).mode & 0o077) !== 0);
}

function linesAboutOthers(log: string): string[] {
  return log.split("\n").filter((line) => line.includes("other users"));
}

async function work(port: number): Promise<void> {
  const body = { model: "studio-image", prompt: "a red kite" };
  const { json } = await ask<Job>(port, firstToken, "/generate/image", body);
  const { json: job } = await ask<Job>(
    port,
    firstToken,
    `/jobs/${json.id}/wait?timeout_seconds=900`,
  );
  if (job.status !== "succeeded") throw new Error(`the picture was not made: ${job.status}`);
  // Listing jobs waits for a pass that writes rows to the tables, so that these exist as well.
  await ask(port, firstToken, "/jobs");
}

t.test("all that real work leaves below an existing directory is closed to others", async (t) => {
  const dataDir = join(t.testdir(), "data");
  mkdirSync(dataDir, { mode: 0o755 });
  const klieg = await startKlieg(t, dataDir, withFarm);
  await work(klieg.port);
  t.strictSame(openToOthers(dataDir), []);
  const names = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
  for (const made of [/data\.mdb$/, /\.segment$/, /\.png$/, /\.thumb\.jpg$/])
    t.ok(
      names.some((name) => made.test(name)),
      `${made} is among them`,
    );
  t.equal((await klieg.kill("SIGTERM")).code, 0);
});

t.test("a start that finds it open closes it, and says so in one line", async (t) => {
  const dataDir = join(t.testdir(), "data");
  const first = await startKlieg(t, dataDir);
  await first.kill("SIGTERM");
  for (const path of ["", ...readdirSync(dataDir, { recursive: true, encoding: "utf8" })]) {
    const { mode } = lstatSync(join(dataDir, path));
    chmodSync(join(dataDir, path), mode | 0o044);
  }
  const quiet = { KLIEG_LOG_LEVEL: "warn" };
  const second = await startKlieg(t, dataDir, quiet);
  t.strictSame(openToOthers(dataDir), []);
  const { stderr } = await second.kill("SIGTERM");
  const [line = "", ...more] = linesAboutOthers(stderr);
  t.strictSame(more, []);
  t.match(JSON.parse(line), { msg: /was readable by other users/, dataDir, changed: Number });
  const third = await startKlieg(t, dataDir, quiet);
  t.strictSame(linesAboutOthers((await third.kill("SIGTERM")).stderr), [], "once is enough");
});
