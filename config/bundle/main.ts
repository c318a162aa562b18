/**
 * Bundles the programs of the build in whose folder this file lies: every `main.js` of a process or
 * a thread takes in the modules that it imports, and packages stay outside. Node finds, reads and
 * links modules one by one, 470 for the main thread of the service; without that a start and a
 * command take a third less processor time. What is imported only when needed becomes a file beside
 * the program, loaded as before.
 */

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";

const folder = join(import.meta.dirname, "../..");
const rooms = ["engine", "timeline", "effects", "film", "render-farm", "http", "cli"];

const programs = rooms.flatMap((room) =>
  readdirSync(join(folder, room), { recursive: true, encoding: "utf8" })
    .filter((path) => basename(path) === "main.js")
    .map((path) => join(folder, room, path)),
);
await Promise.all(programs.map(bundle));

async function bundle(program: string): Promise<void> {
  await build({
    entryPoints: [program],
    outdir: dirname(program),
    chunkNames: "main-[hash]",
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: true,
    sourcesContent: false,
    logLevel: "warning",
    plugins: [keepPlaces(dirname(program))],
  });
}

/** A plugin by which a module finds the files beside it although it runs from `outputs`. */
function keepPlaces(outputs: string): Plugin {
  return {
    name: "keep-places",
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes("import.meta")) return undefined;
        const place = JSON.stringify(relative(outputs, path));
        // On the first line, so that the module's source map holds.
        const head =
          'import { dirname as importMetaFolder } from "node:path";' +
          'import { fileURLToPath as importMetaPath } from "node:url";' +
          `const importMeta = { url: new URL(${place}, import.meta.url).href };` +
          "importMeta.filename = importMetaPath(importMeta.url);" +
          "importMeta.dirname = importMetaFolder(importMeta.filename);";
        return { contents: head + text.replaceAll("import.meta", "importMeta") };
      });
    },
  };
}
