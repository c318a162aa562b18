/**
 * `npm run release [-- --untagged]`: makes what is delivered, in `release/`: packages for npm and
 * Debian, a container context, the clients, a list of components (SBOM) and checksums. The commit
 * must carry the tag of its version, such as v0.1.0, unless `--untagged` is given.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../version.ts";
import { writeChecksums } from "./checksums.ts";
import { packGoClient, packPythonClient, packTypescriptClient } from "./clients.ts";
import { writeComponents } from "./components.ts";
import { packContainer } from "./container.ts";
import { packDebian } from "./debian-package.ts";
import { packNpm } from "./npm-package.ts";
import { type Release, say } from "./release.ts";

const { values } = parseArgs({
  options: { untagged: { type: "boolean" }, output: { type: "string", default: "release" } },
});
const root = process.cwd();
const output = resolve(values.output);
const release: Release = { root, output, version };

if (values.untagged !== true) requireTag();
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const steps: readonly (readonly [what: string, run: (release: Release) => void])[] = [
  ["package for npm", packNpm],
  ["package for Debian", packDebian],
  ["container context", packContainer],
  ["TypeScript client", packTypescriptClient],
  ["Python client", packPythonClient],
  ["Go client", packGoClient],
  ["list of components", writeComponents],
  ["checksums", writeChecksums],
];
for (const [at, [what, run]] of steps.entries()) {
  const began = performance.now();
  run(release);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  say(`${at + 1} of ${steps.length}: ${what}, ${seconds} s`);
}

function requireTag(): void {
  const tags = execFileSync("git", ["tag", "--points-at", "HEAD"], { cwd: root, encoding: "utf8" });
  if (tags.split("\n").includes(`v${version}`)) return;
  say(`This commit does not carry the tag v${version}; add it, or pass --untagged for a trial.`);
  process.exit(1);
}
