/** Does a service keep its speed and its memory under minutes of submits at full speed? */
import { countJobs } from "../load/accounts.ts";
import { runByTurns } from "../load/by-turns.ts";
import { asTarget, checkSubmits, nextRun, openLoaded } from "../load/klieg-load.ts";
import { type LoadOptions, loadDefaults, loadOptions } from "../load/load-options.ts";
import { writeSubmits } from "../load/requests.ts";
import { readOptions } from "../options.ts";
import type { Figure, Finding, Series } from "../report/result.ts";
import { median } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";

const minuteSeconds = 60;

export const sustained: Scenario = {
  question: "Does it keep its speed and its memory under ten minutes of submits?",
  excludes: "days: retention and the disk's filling",
  options: loadOptions.map((option) =>
    option
      .replace("of one round (12)", "of the one round (600)")
      .replace("each system (3)", "it, one after the other (1)"),
  ),
  quick: ["--seconds", "30", "--accounts", "500"],
  plan: (args) => {
    const options = readOptions(args, { ...loadDefaults, seconds: 600, rounds: 1 });
    return (setting) => measure(options, setting);
  },
};

async function measure(options: LoadOptions, setting: Setting): Promise<Finding> {
  const loaded = await openLoaded(setting, options.accounts);
  const { accounts, host } = loaded;
  const before = await countJobs(accounts);
  const requests = () => writeSubmits(accounts, host, nextRun());
  const klieg = asTarget(loaded, { requests, unit: "submit" });
  const { series, totals } = await runByTurns([klieg], options, setting.say);
  const own = totals.get("klieg");
  if (own === undefined) throw new Error("Klieg took part.");
  const check = await checkSubmits(loaded, before, own, 1, options);
  return { ...check, series: series.map(addEndurance) };
}

/** Compares the last minute with the first; in a shorter run, the last third with the first. */
function addEndurance(series: Series): Series {
  const sent = series.curves.find(({ title }) => title === "Requests sent over time");
  const counts = sent?.points.map(([, count]) => count) ?? [];
  const window = Math.min(minuteSeconds, Math.max(1, Math.floor(counts.length / 3)));
  const share = median(counts.slice(-window)) / median(counts.slice(0, window));
  const figure: Figure = {
    name: "speed at the end",
    unit: "of that at the start",
    better: "more",
    rounds: [share],
  };
  const [first, ...rest] = series.figures;
  return { ...series, figures: first === undefined ? [figure] : [first, figure, ...rest] };
}
