/** Tests what `config/setup` reports about the Node it finds, which all files must name (E9). */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Seconds since 1970 in the far future; files with this time are newer than all others. */
const later = 4_000_000_000;

/** Makes a clone that is complete except for its Node, which has the given version. */
function clone(t: Test, version: string) {
  const bin = Object.fromEntries(
    ["ffmpeg", "ffprobe", "espeak-ng", "chromium-headless-shell"].map((name) => [name, ""]),
  );
  const folder = t.testdir({
    config: {},
    dist: { ".built": "", ".sources": "package-lock.json\ntsconfig.json\n" },
    node_modules: { ".package-lock.json": "" },
    "package-lock.json": "",
    "tsconfig.json": "",
    bin: { ...bin, node: `#!/bin/sh\necho ${version}\n` },
  });
  for (const name of [...Object.keys(bin), "node"]) chmodSync(join(folder, "bin", name), 0o755);
  cpSync(join(root, "config/setup"), join(folder, "config/setup"));
  for (const stamp of ["dist/.built", "node_modules/.package-lock.json"])
    utimesSync(join(folder, stamp), later, later);
  return folder;
}

function setUp(t: Test, version: string, mode = "start") {
  const folder = clone(t, version);
  const env = { PATH: `${join(folder, "bin")}:/usr/bin:/bin` };
  const { status, stderr } = spawnSync("sh", [join(folder, "config/setup"), mode], {
    env,
    encoding: "utf8",
  });
  return { status, stderr };
}

t.test("set-up is silent on Node 22 (E9)", async (t) => {
  for (const version of ["v22.2.0", "v22.21.1", "v24.0.0"])
    t.strictSame(setUp(t, version), { status: 0, stderr: "" }, version);
});

t.test("set-up goes on with a warning on Node 20 (E9)", async (t) => {
  const stderr = "Node 20 no longer receives security fixes; use Node 22.\n";
  for (const version of ["v20.15.0", "v20.20.2"])
    t.strictSame(setUp(t, version), { status: 0, stderr }, version);
  t.strictSame(
    setUp(t, "v20.20.2", "build"),
    { status: 0, stderr: "" },
    "but not for the command line",
  );
});

t.test("set-up stops on any other Node, and names those that do (E9)", async (t) => {
  for (const version of ["v18.20.4", "v20.14.0", "v21.7.3", "v22.1.0"]) {
    const needed = "Klieg needs Node 20.15 or later of that line, or 22.2 or later of that";
    const stderr = `${needed}, but this is ${version}; switch Node and try again.\n`;
    t.strictSame(setUp(t, version), { status: 1, stderr }, version);
  }
});

t.test("README, package and container name Node 22 (E9)", async (t) => {
  t.match(read("README.md"), /A Debian or Ubuntu machine with Node 22 and git is enough/);
  t.match(read("docs/start.md"), /uWebSockets\.js@github:uNetworking\/uWebSockets\.js#<tag>/);
  t.match(read("config/deploy/Containerfile"), /^FROM docker\.io\/library\/node:22-bookworm$/m);
  t.match(JSON.parse(read("package.json")), { engines: { node: "^20.15 || ^22.2" } });
});

t.test("E2: what other tools leave beside the sources makes no build stale", async (t) => {
  const folder = clone(t, "v22.2.0");
  const setUpNow = () => {
    const env = { PATH: `${join(folder, "bin")}:/usr/bin:/bin` };
    const command = [join(folder, "config/setup"), "start"];
    const { status, stderr } = spawnSync("sh", command, { env, encoding: "utf8" });
    return { status, stderr: stderr.split("\n")[0] };
  };
  const put = (path: string, atSeconds: number) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "");
    utimesSync(join(folder, path), atSeconds, atSeconds);
  };
  const leaveBehind = () => {
    put("clients/python/build/lib/klieg/models.py", later + 60);
    put("clients/python/klieg.egg-info/top_level.json", later + 60);
    utimesSync(join(folder, "clients/python"), later + 60, later + 60);
  };
  leaveBehind();
  t.strictSame(setUpNow(), { status: 0, stderr: "" }, "where there is no git");
  cpSync(join(root, ".gitignore"), join(folder, ".gitignore"));
  spawnSync("git", ["init", "--quiet", folder]);
  leaveBehind();
  t.strictSame(setUpNow(), { status: 0, stderr: "" }, "in a clone");
  put("actors/new.ts", 1);
  const stderr = /^Step 1 of 1: building, some \d+ s$/;
  t.match(setUpNow(), { stderr }, "a source that came, however old");
});
