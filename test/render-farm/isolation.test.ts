import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import t, { type Test } from "tap";
import { launch, ownChromium } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { isolate } from "../../render-farm/browser/isolation.ts";
import { Fence } from "../../render-farm/fence/fence.ts";
import { childProcesses, isBrowsers, isRunning } from "./child-processes.ts";
import { searchPath } from "./fenced.ts";

const chromium = (await findChromium(undefined, searchPath)) ?? ownChromium();
const isRoot = process.getuid?.() === 0;

/** Finds out how a machine runs a Chromium that is started by this script. */
async function runIsolated(t: Test, script: string, folderMode = 0o755) {
  const folder = await mkdtemp(join(tmpdir(), "klieg-test-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "home"), { mode: folderMode });
  const programs = join(folder, "home", "programs");
  mkdirSync(programs);
  const executablePath = join(programs, "chromium-as-found");
  writeFileSync(executablePath, `#!/bin/sh\n${script}\n`);
  chmodSync(executablePath, 0o755);
  const own = join(folder, "node");
  mkdirSync(own, { mode: 0o700 });
  chmodSync(folder, 0o755);
  return isolate("off", executablePath, await Fence.raise(searchPath, own));
}

t.test(
  "where Chromium's sandbox does not start the other fences stand, with a warning",
  async (t) => {
    const isolation = await runIsolated(
      t,
      `case "$*" in *--no-sandbox*) exec ${chromium} "$@" ;; esac
    echo No usable sandbox >&2; exit 1`,
    );
    t.match(isolation, { kind: "ready", chromium: { sandbox: false } });
    t.match(isolation, { warning: /^Chromium's own sandbox does not start/ });
    if (isolation.kind !== "ready" || !isRoot) return;
    const { close } = await launch(isolation.chromium);
    const processes = childProcesses().filter(isBrowsers);
    t.ok(processes.length > 0 && processes.every(({ uid }) => uid !== 0), "not root");
    await close();
    while (processes.some(({ pid }) => isRunning(pid))) await turn();
  },
);

t.test(
  "a Chromium in a folder of root's own is shown to pages' user",
  { skip: !isRoot },
  async (t) => {
    const isolation = await runIsolated(t, `exec ${chromium} "$@"`, 0o700);
    t.match(isolation, { kind: "ready", warning: undefined, chromium: { sandbox: true } });
  },
);

t.test("a Chromium that never starts is named", async (t) => {
  const isolation = await runIsolated(t, "exit 1");
  t.match(isolation, { kind: "ready", warning: /chromium-as-found does not start$/ });
});
