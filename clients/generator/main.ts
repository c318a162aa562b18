/** `node dist/clients/generator/main.js`, run in the root: writes the clients' generated files. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { generatedFiles, generatedFolders } from "./generated.ts";

const files = generatedFiles(".");
for (const folder of generatedFolders) rmSync(folder, { recursive: true, force: true });
for (const [path, text] of files) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
process.stdout.write(`${files.size} files are written.\n`);
