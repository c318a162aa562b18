/** How many durable submits per second? Each job also runs to its end, on a simulated model. */
import { countJobs } from "../load/accounts.ts";
import { runByTurns } from "../load/by-turns.ts";
import { asTarget, checkSubmits, nextRun, openLoaded, sampleAnswer } from "../load/klieg-load.ts";
import {
  loadDefaults,
  loadOptions,
  type PeerLoadOptions,
  peersOption,
  quickLoad,
} from "../load/load-options.ts";
import { writeSubmits } from "../load/requests.ts";
import { chooseNames, readOptions } from "../options.ts";
import { type HttpPeerName, openHttpPeers } from "../peers/http-peers.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

const peerNames = ["bare-uws", "fastify-bullmq", "uws-bullmq"] as const;

export const submit: Scenario = {
  question: "How many durable submits a second, beside servers that take the same requests?",
  excludes: "latency at a rate that users have (see latency), the work of real models",
  options: [...loadOptions, peersOption],
  quick: quickLoad,
  plan: (args) => {
    const options = readOptions(args, { ...loadDefaults, peers: undefined });
    const peers = chooseNames(options.peers, peerNames);
    return (setting) => measure({ ...options, peers }, setting);
  },
};

async function measure(options: PeerLoadOptions<HttpPeerName>, setting: Setting): Promise<Finding> {
  const loaded = await openLoaded(setting, options.accounts);
  const { subject, accounts, host } = loaded;
  const body = await sampleAnswer(
    loaded,
    "/v1/generate/image",
    '{"model":"sim-instant","prompt":"a red kite over dunes at dusk, sample"}',
  );
  const opened = await openHttpPeers(options.peers, { setting, folder: subject.folder, body });
  try {
    const before = await countJobs(accounts);
    const requests = () => writeSubmits(accounts, host, nextRun());
    const klieg = asTarget(loaded, { requests, unit: "submit" });
    const peers = opened.peers.map((peer) => ({ ...peer, requests, unit: "submit" }));
    const { series, totals } = await runByTurns([klieg, ...peers], options, setting.say);
    const own = totals.get("klieg");
    if (own === undefined) throw new Error("Klieg took part.");
    const check = await checkSubmits(loaded, before, own, 1, options);
    return { ...check, series, lines: [...check.lines, ...opened.lines] };
  } finally {
    await opened.close();
  }
}
