/** How many listings of the twenty newest jobs per second? */
import { runByTurns } from "../load/by-turns.ts";
import { asContestant, fillStore, openLoaded, sampleAnswer } from "../load/klieg-load.ts";
import { type LoadOptions, loadOptions, quickLoad, readLoadOptions } from "../load/load-options.ts";
import { writeGet } from "../load/requests.ts";
import { choosePeers, openHttpPeers } from "../peers/http-peers.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

const peerNames = ["bare-uws"] as const;
const path = "/v1/jobs?limit=20";

export const list: Scenario = {
  question: "How many listings of an account's twenty newest jobs a second?",
  excludes: "filters, later pages, and listings beside submits (see mixed)",
  options: [...loadOptions, "--jobs N         made before listing (100000)"],
  quick: [...quickLoad, "--jobs", "30000"],
  plan: (args) => {
    const options = readLoadOptions(args, "100000");
    choosePeers(options.peers, peerNames);
    return (setting) => measure(options, setting);
  },
};

async function measure(options: LoadOptions, setting: Setting): Promise<Finding> {
  const loaded = await openLoaded(setting, options.accounts);
  const { subject, accounts, host } = loaded;
  const jobs = await fillStore(loaded, options.jobs, setting.say);
  const body = await sampleAnswer(loaded, path);
  const names = choosePeers(options.peers, peerNames);
  const opened = await openHttpPeers(names, { setting, folder: subject.folder, body });
  try {
    const texts = accounts.map(({ token }) => writeGet(path, host, token));
    const load = { requests: () => ({ kind: "random", texts }) as const, unit: "listing" };
    const contestants = [
      asContestant(loaded, load),
      ...opened.peers.map((p) => ({ ...p, ...load })),
    ];
    const { series, totals } = await runByTurns(contestants, options.profile, setting.say);
    const { refused = 1, broken = 1 } = totals.get("klieg") ?? {};
    const lines = [
      `jobs in the store: ${jobs}; refused ${refused}, broken ${broken}`,
      ...opened.lines,
    ];
    return { isSound: refused + broken === 0, series, lines };
  } finally {
    await opened.close();
  }
}
