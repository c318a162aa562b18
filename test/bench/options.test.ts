import t from "tap";
import {
  chooseNames,
  readCommonOptions,
  readCount,
  readCounts,
  readOptions,
} from "../../bench/options.ts";
import { scenarios } from "../../bench/scenarios.ts";

t.test("files and --quick are options of all scenarios, the rest is the scenario's", async (t) => {
  const args = ["--quick", "--json", "a.json", "--seconds", "3", "--html=b.html"];
  t.strictSame(readCommonOptions(args), {
    isQuick: true,
    jsonFile: "a.json",
    htmlFile: "b.html",
    rest: ["--seconds", "3"],
  });
  t.strictSame(readCommonOptions(["--against", "old.json"]), {
    isQuick: false,
    againstFile: "old.json",
    rest: [],
  });
  t.throws(() => readCommonOptions(["--json"]), { name: "UsageError" });
  t.throws(() => readCommonOptions(["--json", "--quick"]), { name: "UsageError" });
});

t.test("counts are whole numbers above 0", async (t) => {
  t.equal(readCount("jobs", "10000000"), 10_000_000);
  t.strictSame(readCounts("rates", "10,200"), [10, 200]);
  for (const text of ["0", "-1", "1.5", "1e6", "", "ten"])
    t.throws(() => readCount("jobs", text), { name: "UsageError" }, text);
  t.throws(() => readCounts("rates", "10,"), { name: "UsageError" });
});

t.test("the last one of an option counts, so an own one beats those of --quick", async (t) => {
  const defaults = { seconds: 12, rounds: 3, sizes: [10, 20], peers: undefined };
  t.strictSame(readOptions([], defaults), defaults);
  const args = ["--seconds", "3", "--seconds", "7", "--sizes", "5", "--peers", "a,b"];
  const values = { seconds: 7, rounds: 3, sizes: [5], peers: "a,b" };
  t.strictSame(readOptions(args, defaults), values);
  t.throws(() => readOptions(["--second", "7"], defaults), {
    code: "ERR_PARSE_ARGS_UNKNOWN_OPTION",
  });
  t.throws(() => readOptions(["--sizes", "5,"], defaults), { name: "UsageError" });
});

t.test("peers are all of a scenario's, those that are named, or none", async (t) => {
  const known = ["bare-uws", "uws-bullmq"] as const;
  t.strictSame(chooseNames(undefined, known), known);
  t.strictSame(chooseNames("uws-bullmq", known), ["uws-bullmq"]);
  t.strictSame(chooseNames("", known), []);
  t.throws(() => chooseNames("redis", known), { name: "UsageError" });
});

t.test("each scenario reads its own quick options and refuses unknown ones", async (t) => {
  for (const [name, { plan, quick = [], question, excludes }] of Object.entries(scenarios)) {
    t.type(plan(quick), "function", name);
    t.throws(() => plan(["--no-such-option"]), { code: "ERR_PARSE_ARGS_UNKNOWN_OPTION" }, name);
    t.match(question, /\?$/, `${name} asks a question`);
    t.ok(excludes.length > 0, `${name} says what it leaves out`);
  }
});
