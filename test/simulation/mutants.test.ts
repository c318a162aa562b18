/** The breaks of `npm run sim:mutants` apply to the code as it is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { mutants } from "./cluster/mutants/mutants.ts";

const build = join(import.meta.dirname, "../..");

t.test("the text of each break is in its file once, and there are at least 20", async (t) => {
  const wrong = mutants.filter(({ path, text }) => {
    const whole = readFileSync(join(build, path.replace(/\.ts$/, ".js")), "utf8");
    return whole.split(text).length !== 2;
  });
  t.strictSame(
    wrong.map(({ path, text }) => `${path}: ${text}`),
    [],
  );
  t.ok(mutants.length >= 20);
});
