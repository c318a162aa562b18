import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { makePages } from "../../cli/reference/pages.ts";

const root = join(import.meta.dirname, "../../..");

t.test("the pages of settings and commands are those of the declarations", async (t) => {
  for (const [path, text] of makePages())
    t.equal(
      readFileSync(join(root, path), "utf8"),
      text,
      `${path}; else: sh config/setup build && node dist/cli/reference/main.js`,
    );
});
