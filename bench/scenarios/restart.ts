/** How soon is a service ready again after a kill and after a stop, by the number of its jobs? */
import { countJobs } from "../load/accounts.ts";
import { fillStore, openLoaded } from "../load/klieg-load.ts";
import { readOptions } from "../options.ts";
import type { Curve, Figure, Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

export const restart: Scenario = {
  question: "How soon is it ready again after SIGKILL and after a stop, with how many fresh jobs?",
  excludes: "jobs older than five minutes, which a start does not read; a cluster's standby",
  options: ["--jobs N,N       in the store (10000,100000,1000000)"],
  quick: ["--jobs", "10000,100000"],
  plan: (args) => {
    const { jobs } = readOptions(args, { jobs: [10_000, 100_000, 1_000_000] });
    return (setting) => measure(jobs, setting);
  },
};

async function measure(sizes: readonly number[], setting: Setting): Promise<Finding> {
  // A service that runs elsewhere must not be killed, so this refuses one.
  if (setting.isRemote) await setting.start({ mustBeOwn: true });
  const loaded = await openLoaded(setting, 1_000);
  const { subject, accounts } = loaded;
  const found: { readonly jobs: number; readonly killed: number; readonly stopped: number }[] = [];
  let jobs = 0;
  let lost = 0;
  for (const size of sizes) {
    jobs += await fillStore(loaded, size - jobs, setting.say);
    const before = await countJobs(accounts);
    const killed = await subject.restart("kill");
    const stopped = await subject.restart("stop");
    found.push({ jobs, killed, stopped });
    setting.say(
      `${jobs} jobs: ${killed.toFixed(2)} s after a kill, ${stopped.toFixed(2)} s after a stop`,
    );
    lost += before - (await countJobs(accounts));
  }
  const series = (["killed", "stopped"] as const).map((how) => ({
    name: how === "killed" ? "after a kill" : "after a stop",
    figures: found.toReversed().map(
      (each): Figure => ({
        name: `start with ${each.jobs} jobs`,
        unit: "s",
        better: "less",
        rounds: [each[how]],
      }),
    ),
    curves: [toCurve(found.map((each) => [each.jobs, each[how]]))],
  }));
  return { isSound: lost === 0, series, lines: [`jobs that were lost: ${lost}`] };
}

function toCurve(points: Curve["points"]): Curve {
  return {
    title: "Start by jobs in the store",
    x: { label: "jobs", scale: "log" },
    y: { label: "s", scale: "linear" },
    points,
  };
}
