/** Tests that a kernel lock limits a data directory to one process, with real processes. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { lockFile } from "../../engine/adapters/kernel-lock.ts";
import { ask } from "./accounts.ts";
import { firstToken, isOneSentence, startAndFail, startKlieg } from "./klieg-process.ts";

t.test("a lock is held until it is released", async (t) => {
  const file = join(t.testdir(), "lock");
  const release = lockFile(file, 0);
  t.ok(release);
  t.equal(lockFile(file, 0), undefined);
  release?.();
  const again = lockFile(file, 0);
  t.ok(again);
  again?.();
});

const elsewhere = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
const [unshare = "", ...options] = elsewhere;
const mayUnshare = spawnSync(unshare, [...options, "true"]).status === 0;

t.test("a second process is refused, also one of another container", async (t) => {
  const dataDir = t.testdir({ lock: "what an earlier version wrote" });
  const first = await startKlieg(t, dataDir);
  const [here, there] = await Promise.all([
    startAndFail(t, dataDir),
    mayUnshare ? startAndFail(t, dataDir, {}, undefined, elsewhere) : undefined,
  ]);
  isOneSentence(t, here, /Another Klieg process uses .*KLIEG_DATA_DIR/);
  if (there === undefined) t.comment("no other process namespace can be made here");
  else isOneSentence(t, there, /Another Klieg process uses /);
  t.equal((await ask(first.port, firstToken, "/me")).status, 200, "the first goes on");
  await first.kill("SIGTERM");
  const next = await startKlieg(t, dataDir);
  t.equal((await next.kill("SIGTERM")).code, 0, "and another may follow it");
});

t.test("a start waits for a process that is being torn down", async (t) => {
  const dataDir = t.testdir();
  const first = await startKlieg(t, dataDir);
  const starting = startKlieg(t, dataDir);
  // The second start must serve, whether or not it has reached the lock by then.
  await delay(500);
  await first.kill("SIGKILL");
  const second = await starting;
  t.equal((await ask(second.port, firstToken, "/me")).status, 200);
});
