/** `node dist/clients/generator/main.js` in the root: writes what the clients are made of. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { generatedFiles } from "./generated.ts";

const files = generatedFiles();
for (const folder of new Set([...files.keys()].map((path) => dirname(path)))) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
for (const [path, text] of files) writeFileSync(path, text);
process.stdout.write(`${files.size} files are written.\n`);
