import t from "tap";
import { addEntry, describeEntry, describeResult, judge } from "../../bench/guard/comparison.ts";
import { readGuardOptions } from "../../bench/guard/guard.ts";
import { measures } from "../../bench/guard/measures.ts";

const machine = {
  processor: "AMD EPYC",
  cores: 2,
  memoryGib: 24,
  system: "Linux 6.18",
  node: "v22.2.0",
};
const submit = {
  name: "submit",
  unit: "us a submit",
  base: [100, 110, 104],
  tree: [105, 112, 100],
};
const result = {
  base: "806c6bab4e95",
  tree: "cb51814231b4",
  date: "2026-11-26",
  machine,
  comparisons: [submit],
  others: [0.01, 0.02, 0],
};
const dearer = { ...submit, name: "read", tree: [120, 110, 125] };

t.test("the guard reads a commit and its options", async (t) => {
  const options = readGuardOptions(["HEAD~1", "--only", "read,film", "--rounds", "4", "--record"]);
  t.match(options, { commit: "HEAD~1", rounds: 4, seconds: 5, isRecorded: true });
  t.strictSame(
    options.measures.map(({ name }) => name),
    ["read", "film"],
  );
  t.equal(readGuardOptions(["HEAD"]).measures.length, measures.length, "all by default");
  t.throws(() => readGuardOptions([]), { name: "UsageError" });
  t.throws(() => readGuardOptions(["HEAD", "HEAD~1"]), { name: "UsageError" });
  t.throws(() => readGuardOptions(["HEAD", "--only", "write"]), { name: "UsageError" });
  t.throws(() => readGuardOptions(["HEAD", "--rounds", "0"]), { name: "UsageError" });
});

t.test("the guard is not sound when the middle round costs over 5 % more", async (t) => {
  t.equal(judge(result), "kept");
  t.equal(judge({ ...result, comparisons: [submit, dearer] }), "dearer");
  const edge = { ...submit, base: [100], tree: [105] };
  t.equal(judge({ ...result, comparisons: [edge] }), "kept", "5 % more is within the bar");
  const empty = { ...submit, base: [], tree: [] };
  t.equal(judge({ ...result, comparisons: [empty] }), "dearer", "what has no figure is not sound");
  t.match(
    describeResult({ ...result, comparisons: [submit, dearer] }).at(-1),
    "NOT SOUND: read: the bar is 5.0 % more",
  );
});

t.test("on a machine that works for others the guard decides nothing", async (t) => {
  const busy = { ...result, comparisons: [dearer], others: [0.01, 0.3] };
  t.equal(judge(busy), "untrusted");
  t.match(describeResult(busy).at(-1), /^NOT TO BE TRUSTED, the machine is not at rest/);
});

t.test("the newest entry is the first one, with commit, date and machine", async (t) => {
  const entry = describeEntry(result);
  t.match(entry, "## 2026-11-26: cb51814231b4 beside 806c6bab4e95");
  t.match(entry, "AMD EPYC, 2 cores, 24 GiB, Linux 6.18, Node v22.2.0");
  t.match(entry, "| submit (us a submit) | 104.0 ±4.8 % | 105.0 ±5.7 % | 1.018     |");
  const once = addEntry("# Results\n\nWords.\n", "## 1: a\n\nx.\n");
  t.equal(once, "# Results\n\nWords.\n\n## 1: a\n\nx.\n");
  t.equal(
    addEntry(once, "## 2: b\n\ny.\n"),
    "# Results\n\nWords.\n\n## 2: b\n\ny.\n\n## 1: a\n\nx.\n",
  );
});
