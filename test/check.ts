/**
 * `npm run check [-- <path> ...] [--all]`: lints the paths and runs the tests that are nearest to
 * them in the graph of imports. Without a path, those that git says have changed; a folder stands
 * for its files. `--all` also runs the tests that reach a path through other files.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { listImports, root, sources } from "./source-tree.ts";

const { values, positionals } = parseArgs({
  options: { all: { type: "boolean", default: false } },
  allowPositionals: true,
});
const paths = positionals.length > 0 ? positionals : listChanged();
const touched = sources
  .map(({ path }) => path)
  .filter((path) => paths.some((one) => path === one || path.startsWith(`${trimSlash(one)}/`)));
if (touched.length === 0) {
  print(paths.length === 0 ? "Nothing has changed." : `No source is at ${paths.join(", ")}.`);
  process.exit(paths.length === 0 ? 0 : 2);
}

const tests = findTests(touched, values.all);
const commands: readonly (readonly string[])[] = [
  ["node_modules/.bin/biome", "check", "--config-path=config/lint.json", ...touched],
  ...(tests.length === 0 ? [] : [[process.execPath, join("dist", "test", "run.js"), ...tests]]),
];
print(`${touched.length} files, ${tests.length} test files.`);
for (const [command = "", ...args] of commands) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

/** Lists the paths that differ from the last commit, or are new. */
function listChanged(): readonly string[] {
  const args = ["status", "--porcelain", "--untracked-files=all", "--no-renames"];
  const { stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.slice(3)]));
}

/**
 * Returns compiled test files: those that import a path, or, where none does, those with the fewest
 * files between. With `isAll`, each that reaches a path. Long tests are left out.
 */
function findTests(from: readonly string[], isAll: boolean): readonly string[] {
  const importers = new Map<string, string[]>();
  for (const source of sources)
    for (const to of listImports(source))
      importers.set(to, [...(importers.get(to) ?? []), source.path]);
  const found = new Set<string>();
  for (const path of from) for (const test of findNearest(path, importers, isAll)) found.add(test);
  return [...found].sort().map((path) => join("dist", path.replace(/\.ts$/, ".js")));
}

function findNearest(
  path: string,
  importers: ReadonlyMap<string, readonly string[]>,
  isAll: boolean,
): readonly string[] {
  const seen = new Set([path]);
  const found = new Set(isTest(path) ? [path] : []);
  let level: readonly string[] = [path];
  while (level.length > 0 && (isAll || found.size === 0)) {
    level = level.flatMap((one) => importers.get(one) ?? []).filter((one) => !seen.has(one));
    for (const one of level) {
      seen.add(one);
      if (isTest(one)) found.add(one);
    }
  }
  return [...found];
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts") && !path.startsWith("test/long/");
}

function trimSlash(path: string): string {
  return path.replace(/^\.\//, "").replace(/\/+$/, "");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
