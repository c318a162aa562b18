/** A shard that cannot be owned says why, and names the command that lets it go on. */
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import t from "tap";
import type { Readiness } from "../../contract/health.ts";
import { askAny, hasAll, isFollowed, openCluster, submit } from "./cluster-nodes.ts";

const main = join(import.meta.dirname, "../../cli/main.js");
const run = promisify(execFile);

async function readWarnings(port: number): Promise<readonly string[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return ((await answer.json()) as Readiness).warnings;
}

t.test("with two of three disks gone a shard names its records and the command", async (t) => {
  const { folder, settings, start } = await openCluster(t);
  const names = ["first", "second", "third"];
  const nodes = [];
  for (const name of names) nodes.push(await start(name));
  const [first, second, third] = nodes;
  if (first === undefined || second === undefined || third === undefined) return;
  await isFollowed(first, 4);
  const ids = await submit(nodes, 0, 30);
  await isFollowed(first, 4);
  for (const node of nodes) await node.kill("SIGKILL");
  for (const name of ["first", "second"]) rmSync(join(folder, name), { recursive: true });

  const alone = await start("third");
  let warnings: readonly string[] = [];
  while (warnings.length < 2) {
    await delay(200);
    warnings = await readWarnings(alone.port);
  }
  for (const warning of warnings) {
    t.match(warning, /has no owner: this node has records up to \d+ \(epoch \d+\)/);
    t.match(warning, /nodes that do not answer may have records after \d+: .*the last owner/);
    t.match(warning, /stop this node and run `klieg shard rebuild /);
  }
  await alone.kill("SIGKILL");

  const env = { ...process.env, ...settings, KLIEG_DATA_DIR: join(folder, "third") };
  for (const shard of ["0", "directory"]) {
    const rebuild = [main, "shard", "rebuild", shard];
    const { stdout } = await run(process.execPath, rebuild, { env });
    t.match(stdout, /^Lost: any records that followed record \d+\.$/m);
    await run(process.execPath, [...rebuild, "--accept-loss"], { env });
  }
  const again = await start("third");
  await hasAll(t, [again], ids);
  t.match(await askAny([again], "/admin/invariants"), { items: [] });
  t.strictSame(await readWarnings(again.port), []);
});
