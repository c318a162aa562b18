/** `node dist/cli/reference/main.js`: writes the generated pages of docs/. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePages } from "./pages.ts";

const root = join(import.meta.dirname, "../../..");
for (const [path, text] of makePages()) writeFileSync(join(root, path), text);
