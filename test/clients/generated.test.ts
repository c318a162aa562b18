import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { listOperations, listPublishedOperations } from "../../clients/generator/contract.ts";
import {
  generatedFiles,
  generatedFolders,
  publishedDocument,
} from "../../clients/generator/generated.ts";
import { surface, unoffered } from "../../clients/generator/surface.ts";

const root = join(import.meta.dirname, "../../..");

t.test("what is committed of the clients is what the contract of this tree yields", async (t) => {
  const files = generatedFiles(root);
  for (const [path, text] of files)
    t.equal(
      readFileSync(join(root, path), "utf8"),
      text,
      `${path}; else: sh config/setup build && node dist/clients/generator/main.js`,
    );
  for (const folder of generatedFolders) {
    const known = readdirSync(join(root, folder)).filter((name) => /\.(ts|py|json)$/.test(name));
    const unknown = known.filter((name) => !files.has(`${folder}/${name}`));
    t.strictSame(unknown, [], `nothing else is in ${folder}`);
  }
});

t.test("clients offer every published operation of the API, or say why not", async (t) => {
  const offered = Object.values(surface).flatMap((methods) =>
    Object.values(methods).flatMap(listOperations),
  );
  const named = [...offered, ...Object.keys(unoffered)].sort();
  const published = [...listPublishedOperations(publishedDocument())].sort();
  t.strictSame(named, published, "else: name it in clients/generator/surface.ts");
});
