/** Tests the clients as customers install them, against the service as `npm start` runs it. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { version } from "../../config/version.ts";
import { firstToken, startKlieg } from "../crash/klieg-process.ts";
import { findGo, goEnvironment } from "./go-program.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const scenario = join(root, "test/clients/scenario.json");
const { steps }: { readonly steps: readonly object[] } = JSON.parse(readFileSync(scenario, "utf8"));

/** Outside the source tree, so that no module of it is found by accident. */
function emptyFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "klieg-client-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** URL and token of a service that runs already: the long tests start a whole cluster. */
const given = process.env["KLIEG_TEST_SERVICE"]?.split(" ");

async function service(t: Test): Promise<readonly string[]> {
  if (given !== undefined) return openAccount(...given);
  const { port } = await startKlieg(t, t.testdir(), { KLIEG_FARM_WORKERS: "1" });
  return [`http://127.0.0.1:${port}`, firstToken];
}

/** Opens an account of its own for a client, so that no other one changes what it lists. */
async function openAccount(url = "", admin = ""): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
  const account = {
    email: `${randomUUID()}@klieg.example`,
    plan: "enterprise",
    credits: 100_000,
    issue_token: true,
  };
  const body = JSON.stringify(account);
  const answer = await fetch(`${url}/v1/admin/accounts`, { method: "POST", headers, body });
  const { token }: { token: string } = await answer.json();
  return [url, token];
}

/** Plays the scenario; its path, the service's URL and a token are appended to `args`. */
async function play(t: Test, command: string, args: readonly string[], cwd: string) {
  const { stdout } = await run(command, [...args, scenario, ...(await service(t))], {
    cwd,
  }).catch((fault: { readonly stdout: string; readonly stderr: string }) => fault);
  const lines = stdout.trimEnd().split("\n");
  t.strictSame(
    lines.filter((line) => !line.startsWith("passed ")),
    [],
  );
  t.equal(lines.length, steps.length, "every step was played");
}

t.test("the TypeScript package, from its tarball in an empty project", async (t) => {
  const project = emptyFolder(t);
  const folder = join(root, "clients/typescript");
  const pack = ["pack", folder, "--silent", "--ignore-scripts", "--pack-destination", project];
  const tarball = (await run("npm", pack)).stdout.trim();
  t.equal(tarball, `klieg-${version}.tgz`);
  writeFileSync(join(project, "package.json"), '{ "type": "module", "private": true }');
  const npm = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", tarball];
  await run("npm", npm, { cwd: project });
  cpSync(join(root, "test/clients/consumer.ts"), join(project, "consumer.ts"));
  const options = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  const config = { compilerOptions: options, include: ["consumer.ts"] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await t.resolves(run(process.execPath, [tsc, "-p", project]), "its types hold for a stranger");
  await play(t, process.execPath, ["consumer.js"], project);
});

for (const kind of ["sync", "async"])
  t.test(`the Python package as it is installed, ${kind}`, async (t) => {
    const project = emptyFolder(t);
    const from = join(root, "clients/python/klieg");
    const isSource = (path: string) => !path.endsWith("__pycache__");
    cpSync(from, join(project, "klieg"), { recursive: true, filter: isSource });
    cpSync(join(root, "test/clients/consumer.py"), join(project, "consumer.py"));
    await play(t, "/usr/bin/python3", ["consumer.py", kind], project);
  });

t.test("the Go module as it is required by a program", async (t) => {
  const project = emptyFolder(t);
  cpSync(join(root, "clients/go"), join(project, "klieg"), { recursive: true });
  cpSync(join(root, "test/clients/consumer.go"), join(project, "consumer.go"));
  const lines = ["module consumer", "go 1.19", "require klieg v0.0.0", "replace klieg => ./klieg"];
  writeFileSync(join(project, "go.mod"), `${lines.join("\n\n")}\n`);
  const options = { cwd: project, env: goEnvironment };
  const { go } = findGo();
  await run(go, ["vet", "."], options);
  await run(go, ["build", "-o", "consumer", "."], options);
  await play(t, join(project, "consumer"), [], project);
});

t.test("the Go module holds its own tests, and is written as gofmt writes", async (t) => {
  const options = { cwd: join(root, "clients/go"), env: goEnvironment };
  const { go, gofmt } = findGo();
  t.equal((await run(gofmt, ["-l", "."], options)).stdout, "");
  await t.resolves(run(go, ["vet", "./..."], options));
  await t.resolves(run(go, ["test", "./..."], options));
});

t.test("the types of the Python package hold, for it and for a stranger (mypy)", async (t) => {
  const project = emptyFolder(t);
  cpSync(join(root, "clients/python"), project, { recursive: true });
  cpSync(join(root, "test/clients/consumer.py"), join(project, "consumer.py"));
  const checked = await run("/usr/bin/mypy", ["--strict", "klieg", "consumer.py"], {
    cwd: project,
  }).catch((fault: { readonly stdout: string }) => fault);
  t.match(checked.stdout, /^Success: no issues found/);
});
