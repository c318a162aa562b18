/**
 * `npm run sim:mutants [-- --seeds 2000]`: breaks a copy of the build in one line after the other,
 * and runs the simulation until it finds each break. Exits with 1 when one survives.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Mutant, mutants } from "./mutants.ts";

const { values } = parseArgs({ options: { seeds: { type: "string", default: "2000" } } });
const build = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");
const tree = resolve(process.cwd());
const parts = [
  "config",
  "contract",
  "engine",
  "timeline",
  "actors",
  "providers",
  "effects",
  "http",
  "test/simulation",
  "test/engine",
];

/** As `npm run sim`: what is young seldom lives, and is looked over less often so. */
const flags = ["--min-semi-space-size=64", "--max-semi-space-size=64"];

const copy = mkdtempSync(join(tmpdir(), "klieg-mutants-"));
try {
  for (const part of [...parts, "test/actors"])
    cpSync(join(build, part), join(copy, part), { recursive: true });
  for (const name of ["node_modules", "package.json"])
    symlinkSync(join(tree, name), join(copy, name));
  let survivors = 0;
  for (const mutant of mutants) {
    const found = run(mutant);
    if (found === undefined) survivors++;
    print(`${(found ?? "SURVIVED").padEnd(10)} ${mutant.path}: ${mutant.breaks}`);
  }
  print(`${mutants.length - survivors} found, ${survivors} survived`);
  process.exitCode = survivors > 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Runs the simulation on a mutant, and returns the seed that finds it. */
function run({ path, text, replacement }: Mutant): string | undefined {
  const file = join(copy, path.replace(/\.ts$/, ".js"));
  const whole = readFileSync(file, "utf8");
  if (whole.split(text).length !== 2)
    throw new Error(`"${text}" is not in what is compiled of ${path} exactly once`);
  writeFileSync(
    file,
    whole.replace(text, () => replacement),
  );
  const main = join(copy, "test/simulation/cluster/main.js");
  const { stdout } = spawnSync(
    process.execPath,
    [...flags, main, "--seeds", values.seeds, "--first"],
    {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      timeout: 1_800_000,
    },
  );
  writeFileSync(file, whole);
  return /^seed \d+(?=: )/m.exec(stdout)?.[0];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
