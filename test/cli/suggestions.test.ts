import t from "tap";
import { suggestNames } from "../../cli/suggestions.ts";

const names = ["generate image", "generate video", "generate set", "jobs", "job", "share list"];

t.test("E5: words that begin commands give those, the nearest first", async (t) => {
  const begun = ["generate image", "generate video", "generate set"];
  t.strictSame(suggestNames(names, ["generate"]).sort(), [...begun].sort());
  t.equal(suggestNames(names, ["generate", "imag", "x"])[0], "generate image");
  t.strictSame(suggestNames(names, ["gen"]), begun);
});

t.test("E5: a misspelt command gives the one that was meant, others nothing", async (t) => {
  t.equal(suggestNames(names, ["jbos"])[0], "jobs");
  t.equal(suggestNames(names, ["generat", "image"])[0], "generate image");
  t.strictSame(suggestNames(names, ["paint"]), []);
  t.strictSame(suggestNames(names, ["x".repeat(100_000)]), []);
});
