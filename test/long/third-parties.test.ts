/**
 * Somebody else's tester of OpenAPI documents (Schemathesis, from PyPI) and the clients in three
 * languages, against one node and against `npm run cluster`. What the tester is told beyond the
 * document is in `schemathesis/`, with the reasons. Left out where PyPI cannot be reached.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { enginePort } from "../../cli/cluster/places.ts";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { firstToken, startKlieg } from "../crash/klieg-process.ts";
import { freePorts, startCluster } from "./local-cluster.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const release = "schemathesis==4.32.5";
const outputBytesMax = 64 * 1024 ** 2;

/** Returns the path of the tester, or undefined where it cannot be had. */
async function install(t: Test): Promise<string | undefined> {
  const folder = join(t.testdir(), "venv");
  try {
    await run("python3", ["-m", "venv", folder]);
    await run(join(folder, "bin/pip"), ["install", "--quiet", release]);
    return join(folder, "bin/schemathesis");
  } catch {
    return undefined;
  }
}

/** Sends some 7,500 requests to all operations; those of one seed are always the same. */
async function judge(t: Test, tester: string, origin: string, token: string): Promise<void> {
  const folder = join(root, "test/long/schemathesis");
  // The tester leaves a cache where it runs.
  const cwd = mkdtempSync(join(tmpdir(), "klieg-tester-"));
  t.teardown(() => rmSync(cwd, { recursive: true }));
  const args = [
    ...["--config-file", join(folder, "schemathesis.toml"), "run", `${origin}/v1/openapi.json`],
    ...["-H", `Authorization: Bearer ${token}`, "--checks", "all", "--seed", "7"],
    ...["--phases", "examples,coverage,fuzzing", "--max-examples", "5", "--workers", "2"],
    ...["--request-timeout", "60", "--no-color"],
  ];
  const own = await new Klieg({ url: origin, token }).me();
  const hooks = { SCHEMATHESIS_HOOKS: "hooks", PYTHONPATH: folder, KLIEG_OWN_TOKEN: own.token.id };
  const env = { ...process.env, ...hooks, ...noBytecode };
  const { stdout } = await run(tester, args, { cwd, env, maxBuffer: outputBytesMax }).catch(
    (fault: { readonly stdout: string }) => fault,
  );
  const [, all, passed] = /(\d+) generated, (\d+) passed/.exec(stdout) ?? [];
  t.ok(Number(all) > 5_000 && all === passed, stdout.slice(-20_000));
}

const noBytecode = { PYTHONDONTWRITEBYTECODE: "1" };

async function openCluster(t: Test) {
  const folder = t.testdir();
  const port = await freePorts();
  const { said, welcome } = await startCluster(t, folder, port);
  t.match(welcome, /process \d+/, said());
  const token = readFileSync(join(folder, "cluster", "admin-token"), "utf8").trim();
  return { origin: `http://127.0.0.1:${enginePort(port, 1)}`, token };
}

t.test("the service does what its OpenAPI document says, by Schemathesis", async (t) => {
  const tester = await install(t);
  if (tester === undefined) {
    t.pass("PyPI cannot be reached");
    return;
  }
  await t.test("one node", async (t) => {
    const { port } = await startKlieg(t, t.testdir());
    await judge(t, tester, `http://127.0.0.1:${port}`, firstToken);
  });
  await t.test("a node of a cluster", async (t) => {
    const { origin, token } = await openCluster(t);
    await judge(t, tester, origin, token);
  });
});

t.test("the clients play their scenario against a node of a cluster", async (t) => {
  const { origin, token } = await openCluster(t);
  const program = join(import.meta.dirname, "../run.js");
  const env = { ...process.env, TEST_SERVICE: `${origin} ${token}` };
  const tests = ["../clients/scenario.test.js", "go-client.test.js"].map((path) =>
    join(import.meta.dirname, path),
  );
  const { stdout } = await run(process.execPath, [program, ...tests], { env }).catch(
    (fault: { readonly stdout: string }) => fault,
  );
  t.match(stdout, /\b0 failed/, stdout);
});
