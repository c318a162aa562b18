/**
 * Compiles the programs of README.md, the guides, the reference and the clients' pages as a reader
 * would.
 */
import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { clientSamples } from "../../http/docs/api/client-samples.ts";
import { guides } from "../../http/docs/guides.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const pages = [
  "README.md",
  ...guides.map(({ slug }) => `docs/${slug}.md`),
  "clients/typescript/README.md",
  "clients/python/README.md",
  "clients/go/README.md",
];

function findSamples(languages: string): readonly string[] {
  const block = new RegExp(`\`\`\`(?:${languages})\\n([\\s\\S]*?)\`\`\``, "g");
  return pages.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(block)].map(([, text = ""]) => text),
  );
}

/** The reference's samples, each as a function of its own. */
const referenceSamples = Object.values(clientSamples).filter((sample) => sample !== undefined);
const typescriptReference = [
  'import { openAsBlob } from "node:fs";',
  'import { Klieg } from "klieg";',
  'const klieg = new Klieg({ url: "http://127.0.0.1:8080", token: "pat_1" });',
  ...referenceSamples.map(
    ({ typescript }, at) => `export const sample${at} = async () => {\n${typescript}\n};`,
  ),
];
const pythonReference = [
  "from klieg import Klieg",
  'klieg = Klieg(url="http://127.0.0.1:8080", token="pat_1")',
  ...referenceSamples.map(
    ({ python }, at) => `def sample_${at}() -> None:\n    ${python.replaceAll("\n", "\n    ")}`,
  ),
];

type Output = { readonly stdout: string };

t.test("E3: every sample in TypeScript or JavaScript compiles against the client", async (t) => {
  const samples = [...findSamples("ts|js"), typescriptReference.join("\n")];
  t.ok(samples.length >= 2, "there are some");
  const folder = t.testdir(
    Object.fromEntries(samples.map((text, at) => [`sample-${at}.mts`, text])),
  );
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "esnext.disposable", "dom"],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    paths: { klieg: [join(root, "clients/typescript/src/klieg.ts")] },
  };
  const config = { compilerOptions, include: ["*.mts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch(
    (fault: Output) => fault,
  );
  t.equal(stdout, "");
});

t.test("E3: every sample in Python holds by its types (mypy)", async (t) => {
  const samples = [...findSamples("python"), pythonReference.join("\n")];
  t.ok(samples.length >= 2, "there are some");
  const folder = t.testdir(
    Object.fromEntries(samples.map((text, at) => [`sample_${at}.py`, text])),
  );
  symlinkSync(join(root, "clients/python/klieg"), join(folder, "klieg"));
  const files = samples.map((_, at) => `sample_${at}.py`);
  const { stdout } = await run("/usr/bin/mypy", ["--strict", ...files], { cwd: folder }).catch(
    (fault: Output) => fault,
  );
  t.match(stdout, /^Success: no issues found/);
});

t.test("E10: the folder of the TypeScript client is a whole package for npm", async (t) => {
  const project = t.testdir({ "package.json": '{ "type": "module", "private": true }' });
  const folder = join(root, "clients/typescript");
  const npm = ["--offline", "--no-audit", "--no-fund", "--silent"];
  const packed = await run("npm", ["pack", folder, "--json", ...npm], { cwd: project });
  const [{ files }] = JSON.parse(packed.stdout) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  for (const path of ["LICENSE", "dist/klieg.js", "dist/klieg.d.ts", "dist/device-login.js"])
    t.ok(paths.includes(path), path);
  await run("npm", ["install", folder, ...npm], { cwd: project });
  const program = 'import { Klieg } from "klieg"; console.log(typeof Klieg)';
  const command = ["--input-type=module", "--eval", program];
  const { stdout } = await run(process.execPath, command, { cwd: project });
  t.equal(stdout, "function\n");
});
