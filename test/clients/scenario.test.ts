/** Tests the clients as customers install them; `long/go-client.test.ts` tests the one in Go. */
import { execFile } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { version } from "../../config/version.ts";
import { emptyFolder, play } from "./scenario.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

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

t.test("the types of the Python package hold, for it and for a stranger (mypy)", async (t) => {
  const project = emptyFolder(t);
  cpSync(join(root, "clients/python"), project, { recursive: true });
  cpSync(join(root, "test/clients/consumer.py"), join(project, "consumer.py"));
  const checked = await run("/usr/bin/mypy", ["--strict", "klieg", "consumer.py"], {
    cwd: project,
  }).catch((fault: { readonly stdout: string }) => fault);
  t.match(checked.stdout, /^Success: no issues found/);
});
