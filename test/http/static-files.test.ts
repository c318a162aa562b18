import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { StaticFiles } from "../../http/look/static-files.ts";

t.test("E1: files that could not be read once are there at the next request", async (t) => {
  const folder = t.testdir({ "a.js": "1", "b.js": "2" });
  const files = new StaticFiles(pathToFileURL(`${folder}/`), "/docs/", ["a.js", "b.js"]);
  rmSync(join(folder, "b.js"));
  t.throws(() => files.path("a.js"));
  t.throws(() => files.answer({ headers: {} }, "b.js"));
  writeFileSync(join(folder, "b.js"), "2");
  t.match(files.path("b.js"), /^\/docs\/b-[0-9a-f]{12}\.js$/);
  t.match(files.answer({ headers: {} }, "b.js"), { status: 200, body: "2" });
});
