import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openapi } from "../../http/documents/openapi.ts";
import { routeTable } from "../../http/route-table.ts";
import { readContract } from "./contract.ts";
import { goFiles } from "./go.ts";
import { pythonFiles, synchronous } from "./python.ts";
import { samplesFile } from "./samples.ts";
import type { Members } from "./shape.ts";
import { typescriptFiles } from "./typescript.ts";

/** The contract that the routes of this tree publish. */
export function publishedDocument(): Members {
  return openapi({ version: "0.0.0", baseUrl: "http://127.0.0.1:8080/v1" }, routeTable);
}

/** Written by hand in Python, for asyncio. */
const asyncModules = ["__init__.py", "caller.py", "client.py", "resources.py"];

/**
 * Where in the tree to what: all that is made from the contract, in every language. `root` is where
 * the tree is, of which the parts by hand are read.
 */
export function generatedFiles(root: string): ReadonlyMap<string, string> {
  const document = publishedDocument();
  const contract = readContract(document);
  const python = join("clients", "python", "klieg");
  const files = new Map<string, string>();
  for (const [name, text] of typescriptFiles(contract))
    files.set(join("clients", "typescript", "src", "generated", name), text);
  for (const [name, text] of pythonFiles(contract)) files.set(join(python, name), text);
  const calls = files.get(join(python, "_async", "calls.py")) ?? "";
  files.set(join(python, "_sync", "calls.py"), synchronous(calls));
  for (const name of asyncModules) {
    const text = readFileSync(join(root, python, "_async", name), "utf8");
    files.set(join(python, "_sync", name), synchronous(text));
  }
  for (const [name, text] of goFiles(contract)) files.set(join("clients", "go", name), text);
  const samples = samplesFile(contract, document);
  files.set(join("http", "docs", "api", "generated", "client-samples.json"), samples);
  return files;
}

/** Folders of which every file is generated. */
export const generatedFolders: readonly string[] = [
  join("clients", "typescript", "src", "generated"),
  join("clients", "python", "klieg", "_sync"),
  join("http", "docs", "api", "generated"),
];
