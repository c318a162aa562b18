import { spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { openMade } from "../../render-farm/fence/own-folders.ts";
import { storeFile } from "../../render-farm/node/workspace.ts";
import { runChild } from "../../render-farm/programs/child-process.ts";
import { childProcesses, isRunning } from "./child-processes.ts";
import { raiseFence } from "./fenced.ts";

const { fence } = await raiseFence(t);
const skip = fence.warnings[0] ?? false;
const shell = await fence.fit({ path: "/bin/sh", folder: "/bin" }, "-c");
const bounds = { bytes: 64 * 1024 ** 2, fileBytes: 1024 ** 2, files: 32, seconds: 60 };

/** Runs a script in the fence and returns its output. Throws `PortError` when it fails. */
async function inFence(script: string, user: number | undefined): Promise<string> {
  return run([...shell(user, bounds), script]);
}

async function run([path = "", ...args]: readonly string[]): Promise<string> {
  const { signal } = new AbortController();
  const said = await runChild({ path, args, signal, timeoutMs: 600_000, fault: "it failed" });
  return said.toString().trim();
}

t.test(
  "a program that reads media is a user without rights, alone and without a network (B3)",
  { skip },
  async (t) => {
    const own = await fence.folders.lend();
    t.teardown(() => own.remove());
    t.equal(await inFence("id -u; id -g; id -G", own.user), `${own.user}\n`.repeat(3).trim());
    const status = await inFence("cat /proc/self/status", own.user);
    t.match(status, /^NoNewPrivs:\s1$/m);
    for (const kind of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      t.match(status, new RegExp(`^${kind}:\\s0+$`, "m"));
    t.match(await inFence("ls -d /proc/[0-9]*", own.user), /^\/proc\/1(\n\/proc\/\d)?$/);
    t.match(await inFence("tail -n +3 /proc/net/dev", own.user), /^lo:\s+0 [^\n]*$/);
    for (const kind of ["ipc", "mnt", "net", "pid"])
      t.not(await inFence(`readlink /proc/self/ns/${kind}`, own.user), ours(kind), kind);
  },
);

const ours = (kind: string): string => readlinkSync(`/proc/self/ns/${kind}`);

t.test(
  "it may use so much memory, time, and so many files so long, and no more (B3)",
  async (t) => {
    t.equal(await inFence("ulimit -d", undefined), `${bounds.bytes / 1_024}`);
    t.equal(await inFence("ulimit -t", undefined), `${bounds.seconds}`);
    t.equal(await inFence("ulimit -n", undefined), `${bounds.files}`);
    await t.rejects(inFence("head -c 200M /dev/zero | tail -n 1", undefined));
    const folder = t.testdir();
    await t.rejects(inFence(`head -c 2M /dev/zero > ${join(folder, "long")}`, undefined));
    t.ok((await readFile(join(folder, "long"))).length <= bounds.fileBytes);
  },
);

t.test("a task reads nothing of another, and nothing of the farm (B3)", { skip }, async (t) => {
  const [one, other] = [await fence.folders.lend(), await fence.folders.lend()];
  t.teardown(() => Promise.all([one.remove(), other.remove()]));
  t.not(one.user, other.user);
  await inFence(`echo mine > ${join(one.path, "note")}`, one.user);
  t.equal(await inFence(`cat ${join(one.path, "note")}`, one.user), "mine");
  await t.rejects(inFence(`cat ${join(one.path, "note")}`, other.user));
  await t.rejects(inFence(`ls ${one.path}`, other.user));
  const kept = join(one.farmFolder, "kept");
  await writeFile(kept, "the farm's", { mode: 0o600 });
  await t.rejects(inFence(`cat ${kept}`, one.user));
  await t.rejects(inFence(`mv ${one.path} ${one.path}-elsewhere`, one.user));
});

t.test("a program in a folder of root's own is shown to the task's user", { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "klieg-closed-"));
  const own = await fence.folders.lend();
  t.teardown(() => Promise.all([own.remove(), rm(folder, { recursive: true })]));
  await mkdir(join(folder, "dist"));
  const path = join(folder, "dist", "say.sh");
  await writeFile(path, "id -u");
  const program = await fence.fit("/bin/sh", { path, folder, parts: ["dist"] });
  t.equal(await run(program(own.user, bounds)), `${own.user}`);
});

t.test("a program that nobody else may read works as root, which is told", { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "klieg-closed-"));
  const own = await fence.folders.lend();
  t.teardown(() => Promise.all([own.remove(), rm(folder, { recursive: true })]));
  const path = join(folder, "say.sh");
  await writeFile(path, `id -u > ${join(own.path, "said")}`, { mode: 0o600 });
  const program = await fence.fit("/bin/sh", { path, folder });
  await run(program(own.user, bounds));
  t.equal(await readFile(join(own.path, "said"), "utf8"), "0\n");
  t.match(fence.warnings.at(-1), /say\.sh runs as root, because other users cannot read it$/);
});

t.test("what a program leaves instead of its file is not followed (B3)", { skip }, async (t) => {
  const own = await fence.folders.lend();
  t.teardown(() => own.remove());
  const path = join(own.path, "film.mp4");
  for (const left of [`ln -s /etc/passwd ${path}`, `mkfifo ${path}`, `mkdir ${path}`]) {
    await inFence(`rm -rf ${path}; ${left}`, own.user);
    await t.rejects(storeFile(memoryObjects(), "film", path), { name: "PortError" }, left);
  }
  await inFence(`rm -rf ${path}; echo film > ${path}`, own.user);
  const made = await openMade(path);
  t.equal(await made.readFile("utf8"), "film\n");
  await made.close();
});

t.test("a program in the fence ends with whoever started it (C13)", { skip }, async (t) => {
  const words = [...shell(undefined, bounds), "sleep 1000; true"];
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const parent = spawn("/bin/sh", ["-c", `${quoted} & echo started; wait`]);
  await once(parent.stdout, "data");
  const countSleeping = () =>
    childProcesses().filter(({ command }) => command.startsWith("sleep 1000"));
  while (countSleeping().length === 0) await turn();
  const [{ pid } = { pid: 0 }] = countSleeping();
  parent.kill("SIGKILL");
  while (isRunning(pid)) await turn();
  t.notOk(isRunning(pid));
});
