/** How many listings of the twenty newest jobs per second? */
import { runByTurns } from "../load/by-turns.ts";
import { asTarget, fillStore, openLoaded, sampleAnswer } from "../load/klieg-load.ts";
import {
  loadDefaults,
  loadOptions,
  type PeerLoadOptions,
  peersOption,
  quickLoad,
} from "../load/load-options.ts";
import { writeGet } from "../load/requests.ts";
import { chooseNames, readOptions } from "../options.ts";
import { type HttpPeerName, openHttpPeers } from "../peers/http-peers.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

const peerNames = ["bare-uws"] as const;
const path = "/v1/jobs?limit=20";

interface Options extends PeerLoadOptions<HttpPeerName> {
  readonly jobs: number;
}

export const list: Scenario = {
  question: "How many listings of an account's twenty newest jobs a second?",
  excludes: "filters, later pages, and listings beside submits (see mixed)",
  options: [...loadOptions, peersOption, "--jobs N         made before listing (100000)"],
  quick: [...quickLoad, "--jobs", "30000"],
  plan: (args) => {
    const options = readOptions(args, { ...loadDefaults, jobs: 100_000, peers: undefined });
    const peers = chooseNames(options.peers, peerNames);
    return (setting) => measure({ ...options, peers }, setting);
  },
};

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const loaded = await openLoaded(setting, options.accounts);
  const { subject, accounts, host } = loaded;
  const jobs = await fillStore(loaded, options.jobs, setting.say);
  const body = await sampleAnswer(loaded, path);
  const opened = await openHttpPeers(options.peers, { setting, folder: subject.folder, body });
  try {
    const texts = accounts.map(({ token }) => writeGet(path, host, token));
    const load = { requests: () => ({ kind: "random", texts }) as const, unit: "listing" };
    const targets = [asTarget(loaded, load), ...opened.peers.map((p) => ({ ...p, ...load }))];
    const { series, totals } = await runByTurns(targets, options, setting.say);
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
