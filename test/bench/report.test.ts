import t from "tap";
import { compareThreads } from "../../bench/machine/thread-time.ts";
import { compareResults, findObjections } from "../../bench/report/comparison.ts";
import { Latencies } from "../../bench/report/latencies.ts";
import { writePage } from "../../bench/report/page.ts";
import type { BenchResult, Figure, Series } from "../../bench/report/result.ts";
import { describeNumber, describeScenario } from "../../bench/report/table.ts";

const speed = (...rounds: number[]): Figure => ({
  name: "submits",
  unit: "a second",
  better: "more",
  rounds,
});
const wait = (...rounds: number[]): Figure => ({ name: "p99", unit: "ms", better: "less", rounds });
const klieg: Series = {
  name: "klieg",
  figures: [speed(1_000, 1_020, 980), wait(10, 11, 12)],
  curves: [
    {
      title: "Latency by percentile",
      x: { label: "percentile", scale: "nines" },
      y: { label: "ms", scale: "log" },
      points: [
        [50, 2],
        [99, 11],
        [99.99, 40],
      ],
    },
  ],
};
const peer: Series = {
  name: "bare <uWS>",
  lacks: "stores nothing & checks nothing",
  figures: [speed(4_000, 4_000, 4_000)],
  curves: [],
};
const result: BenchResult = {
  format: 1,
  date: "2026-11-26 12:00",
  commit: "cb51814231b4",
  machine: { processor: "EPYC", cores: 2, memoryGib: 24, system: "Linux 6", node: "v22.2.0" },
  disk: { p50Ms: 0.2, p99Ms: 0.4 },
  scenarios: [
    {
      name: "submit",
      question: "How many?",
      excludes: "how soon",
      seconds: 40,
      others: [0.01],
      isSound: true,
      series: [klieg, peer],
      lines: ["answers: 9"],
    },
  ],
};
const first = result.scenarios[0];
if (first === undefined) throw new Error("There is a scenario.");

t.test("a table has a line for each, with its ratio to the first one", async (t) => {
  const lines = describeScenario(first).join("\n");
  t.match(lines, /klieg +1,000 ±2 %/);
  t.match(lines, /bare <uWS> +4,000 ±0 % +klieg has 0\.25 of it/);
  t.match(lines, "bare <uWS> stores nothing & checks nothing");
  t.match(lines, "not measured: how soon");
  t.notMatch(lines, "WARNING");
});

t.test("a machine that is not at rest and wrong answers are told in table and page", async (t) => {
  const restless = { ...first, others: [0.4], isSound: false };
  const lines = describeScenario(restless).join("\n");
  t.match(lines, "WARNING: the machine is not at rest");
  t.match(lines, "NOT SOUND");
  const page = writePage({ ...result, scenarios: [restless] });
  t.match(page, "The machine worked for others too in: submit.");
  t.match(page, "Wrong answers in: submit.");
});

t.test("the page needs no network and no script, and escapes what it is told", async (t) => {
  const page = writePage(result);
  t.notMatch(page, /<script|<link|src=|url\(|@import/);
  t.notMatch(page, "<uWS>");
  t.match(page, "bare &lt;uWS&gt;");
  t.match(page, "stores nothing &amp; checks nothing");
  t.match(page, "prefers-color-scheme: dark");
  t.match(page, '<path class="line"');
  t.match(page, 'aria-label="Latency by percentile: ms by percentile"');
});

t.test("a peer has one colour in all scenarios, and Klieg the first one", async (t) => {
  const other = { ...first, name: "other", series: [{ ...peer, name: "second" }, klieg, peer] };
  const page = writePage({ ...result, scenarios: [first, other] });
  const colors = [...page.matchAll(/var\(--color-(\d)\)"><\/i>([^<]+)/g)];
  t.strictSame(
    colors.map(([, color, name]) => `${name} ${color}`),
    ["klieg 0", "bare &lt;uWS&gt; 1", "second 2", "klieg 0", "bare &lt;uWS&gt; 1"],
  );
});

t.test("two results are compared within the spread of their rounds", async (t) => {
  const series = [{ ...klieg, figures: [speed(1_010, 1_030, 990), wait(20, 21, 22)] }];
  const after = { ...result, scenarios: [{ ...first, series }] };
  const compared = compareResults(result, after);
  t.match(compared, [
    { figure: "submits", before: 1_000, after: 1_010, change: "same" },
    { figure: "p99", before: 11, after: 21, change: "worse" },
  ]);
  t.match(compareResults(after, result)[1], { figure: "p99", change: "better" });
  t.match(writePage(after, result), "Against cb51814231b4 of 2026-11-26 12:00");
});

t.test("results of different machines, Nodes and unrest are objected to", async (t) => {
  t.strictSame(findObjections(result, result), []);
  const machine = { ...result.machine, cores: 8, node: "v24.0.0" };
  const other = { ...result, machine, scenarios: [{ ...first, others: [0.5] }] };
  t.match(findObjections(result, other), [
    "the two were measured on different machines",
    "Node was v22.2.0, and is v24.0.0",
    /^the later run: others had 50\.0 %/,
  ]);
});

t.test("latencies keep three digits from a microsecond to minutes", async (t) => {
  const latencies = new Latencies();
  for (let n = 1; n <= 1_000; n++) latencies.record(n / 10);
  latencies.record(60_000);
  t.equal(latencies.count, 1_001);
  t.ok(Math.abs(latencies.percentile(50) - 50) < 0.2, `${latencies.percentile(50)}`);
  t.ok(Math.abs(latencies.percentile(99) - 99) < 0.2, `${latencies.percentile(99)}`);
  t.ok(latencies.percentile(100) >= 59_940, `${latencies.percentile(100)}`);
});

t.test("threads are told by their busyness, the main one first", async (t) => {
  const before = new Map([
    [7, 1_000_000],
    [8, 0],
    [9, 0],
  ]);
  const after = new Map([
    [7, 41_000_000],
    [9, 1_000_000],
    [8, 50_000_000],
    [12, 9_000_000],
  ]);
  t.strictSame(compareThreads(7, before, after), [
    { name: "main thread", us: 40_000 },
    { name: "thread 2", us: 50_000 },
    { name: "thread 3", us: 9_000 },
    { name: "other threads", us: 1_000 },
  ]);
});

t.test("numbers have three digits, or whole thousands", async (t) => {
  t.strictSame([0, 0.0123, 1.234, 56.78, 123.4, 12_345].map(describeNumber), [
    "0",
    "0.0123",
    "1.23",
    "56.8",
    "123",
    "12,345",
  ]);
  t.equal(describeNumber(Number.NaN), "-");
});
