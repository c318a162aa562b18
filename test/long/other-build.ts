/** Copies this build into one that acts as another release: its version and some forms differ. */
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ownBuild } from "../crash/klieg-process.ts";

/** What the compiler wrote: in a build, the programs have taken in the modules that they import. */
const compiled = join(ownBuild, "..", ".build");

export interface Release {
  readonly release: string;
  /** Version of the protocol between nodes. */
  readonly wire: { readonly major: number; readonly minor: number };
}

/**
 * Makes the build in `folder`, which must be below the node modules. All that it sends, and a row
 * of each shard, has one member more than this build knows.
 */
export async function makeBuild(folder: string, { release, wire }: Release): Promise<string> {
  await cp(compiled, folder, {
    recursive: true,
    filter: (path) => !path.endsWith(".map") && path !== join(compiled, "test"),
  });
  const { major, minor } = wire;
  await change(folder, "package.json", /"version": "[^"]+"/, `"version": "${release}"`);
  await change(
    folder,
    "engine/ports/wire-version.js",
    /\{ major: \d+, minor: \d+ \}/,
    `{ major: ${major}, minor: ${minor} }`,
  );
  const added = 'addedLater: { by: ["a later release"] }';
  await change(
    folder,
    "engine/adapters/message-pack.js",
    /packr\.pack\(message\)/,
    `packr.pack({ ...message, ${added} })`,
  );
  await change(folder, "http/cluster/hop-head.js", /\.\.\.hop \}/, `...hop, ${added} }`);
  await change(
    folder,
    "engine/shard/cluster-shard.js",
    /const owner = \{ /,
    `const owner = { ${added}, `,
  );
  await promisify(execFile)(process.execPath, [join(folder, "config/bundle/main.js")]);
  return folder;
}

async function change(folder: string, file: string, from: RegExp, to: string): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, "utf8");
  const changed = text.replace(from, () => to);
  if (changed === text) throw new Error(`${file} has nothing like ${from}`);
  await writeFile(path, changed);
}
