/**
 * How many jobs a second from submit to succeeded, each submitted and then waited for by its
 * client? The peers run theirs without HTTP: their own library adds a job, their worker takes it
 * and does nothing, and the library learns of its end.
 */
import { countJobs } from "../load/accounts.ts";
import { runByTurns } from "../load/by-turns.ts";
import { asTarget, checkSubmits, nextRun, openLoaded } from "../load/klieg-load.ts";
import {
  loadDefaults,
  loadOptions,
  type PeerLoadOptions,
  peersOption,
  quickLoad,
} from "../load/load-options.ts";
import { writeFollowedSubmits } from "../load/requests.ts";
import { chooseNames, readOptions } from "../options.ts";
import { type QueuePeerName, queuePeerNames, runQueuePeers } from "../peers/queue-peers.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

export const endToEnd: Scenario = {
  question: "How many jobs a second from submit to succeeded, each waited for by its client?",
  excludes: "the work of real models: a job here ends at once",
  options: [...loadOptions, peersOption],
  quick: quickLoad,
  plan: (args) => {
    const options = readOptions(args, { ...loadDefaults, peers: undefined });
    const peers = chooseNames(options.peers, queuePeerNames);
    return (setting) => measure({ ...options, peers }, setting);
  },
};

async function measure(
  options: PeerLoadOptions<QueuePeerName>,
  setting: Setting,
): Promise<Finding> {
  const loaded = await openLoaded(setting, options.accounts);
  const { accounts, host, subject } = loaded;
  const before = await countJobs(accounts);
  const requests = () => writeFollowedSubmits(accounts, host, nextRun());
  const klieg = asTarget(loaded, { requests, unit: "job", requestsEach: 2 });
  const { series, totals } = await runByTurns([klieg], options, setting.say);
  const own = totals.get("klieg");
  if (own === undefined) throw new Error("Klieg took part.");
  const check = await checkSubmits(loaded, before, own, 2, options);
  const names = setting.isRemote ? [] : options.peers;
  const peers = await runQueuePeers(names, options, subject.folder, setting);
  return {
    ...check,
    series: [...series, ...peers.series],
    lines: [
      ...check.lines,
      "klieg's latencies are those of its two requests, a peer's are from add to end",
      ...peers.lines,
    ],
  };
}
