/**
 * The tree that is delivered: the build without tests and benches, what starts it, the guides, and
 * the exact versions of what it needs. It has no sources, by which `config/setup` knows it.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Release, run } from "./release.ts";

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: object;
  readonly overrides?: object;
}

interface LockFile {
  readonly packages: Record<string, { readonly dev?: boolean }>;
}

const started = ["serve", "farm", "klieg", "klieg-server", "setup", "deploy"];
const papers = ["LICENSE", "THIRD-PARTY.md", "README.md", "docs", "examples/title-card"];
/** Folders of the build that only develop it. */
const developing = [
  "test",
  "bench",
  "clients",
  "config/bundle",
  "config/release",
  "config/notices",
];

/** Fills a new folder with the tree, without the packages that it depends on. */
export function writeTree({ root }: Release, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const build = join(root, "dist");
  const isDelivered = (path: string) =>
    !developing.includes(relative(build, path)) && !/\.tsbuildinfo$|\/\.[^/]*$/.test(path);
  cpSync(build, join(folder, "dist"), { recursive: true, dereference: true, filter: isDelivered });
  // The console and the command line use the client that is delivered with them.
  cpSync(join(build, "clients/typescript"), join(folder, "dist/clients/typescript"), {
    recursive: true,
  });
  for (const name of started)
    cpSync(join(root, "config", name), join(folder, "config", name), { recursive: true });
  for (const name of papers) cpSync(join(root, name), join(folder, name), { recursive: true });
  writeManifest(root, folder);
}

/** Installs the packages that the tree depends on, at the versions of the lock file. */
export function installPackages(folder: string): void {
  run("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
  rmSync(join(folder, "node_modules/.package-lock.json"), { force: true });
}

function writeManifest(root: string, folder: string): void {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const { version, description, license, engines, dependencies, overrides } = manifest;
  const delivered = {
    name: "klieg-server",
    version,
    description,
    license,
    type: "module",
    engines,
    bin: { "klieg-server": "config/klieg-server", klieg: "config/klieg" },
    dependencies,
    overrides,
  };
  writeJson(join(folder, "package.json"), delivered);
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as LockFile;
  const packages = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
  packages[0] = ["", { ...delivered, overrides: undefined } as object];
  // npm takes this file, and no package-lock.json, from a package that it installs.
  writeJson(join(folder, "npm-shrinkwrap.json"), {
    ...lock,
    name: delivered.name,
    packages: Object.fromEntries(packages),
  });
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
