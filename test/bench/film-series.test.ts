import t from "tap";
import { joinSeries, toSeries } from "../../bench/render/film-series.ts";
import type { Film } from "../../bench/render/films.ts";

const film = (name: string): Film => ({
  name,
  seconds: 2,
  height: 720,
  bars: [],
  renderers: ["klieg standard", "remotion"],
});

t.test("a renderer is one series with the figures and plots of all films", async (t) => {
  const looks = [
    { atSeconds: 0, megabytes: 100 },
    { atSeconds: 1.5, megabytes: 300 },
  ];
  const costs = [
    { wallSeconds: 2, cpuSeconds: 3, memory: looks },
    { wallSeconds: 4, cpuSeconds: 5, memory: [] },
  ];
  const outcomes = new Map([["klieg standard", { kind: "rendered", costs }]] as const);
  const [short, long] = [toSeries(film("short"), outcomes), toSeries(film("long"), outcomes)];
  const [own, ...others] = joinSeries([...short, ...long]);
  t.strictSame(others, []);
  t.strictSame(own?.figures[0], {
    name: "short: time",
    unit: "s",
    better: "less",
    rounds: [2, 4],
  });
  t.strictSame(own?.curves[0]?.points, [
    [1, 2],
    [2, 4],
  ]);
  t.strictSame(own?.curves[1]?.points, [
    [0, 100],
    [1.5, 300],
  ]);
  const plots = ["time by round", "memory over time"];
  t.strictSame(
    own?.curves.map(({ title }) => title),
    ["short", "long"].flatMap((name) => plots.map((plot) => `${name}: ${plot}`)),
  );
});

t.test("one round has no plot by rounds", async (t) => {
  const costs = [{ wallSeconds: 2, cpuSeconds: 3, memory: [] }];
  const outcomes = new Map([["remotion", { kind: "rendered", costs }]] as const);
  t.strictSame(toSeries(film("short"), outcomes)[0]?.curves, []);
});
