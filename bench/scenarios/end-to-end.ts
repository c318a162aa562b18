/**
 * How many jobs a second from submit to succeeded, each submitted and then waited for by its
 * client? The peers run theirs without HTTP: their own library adds a job, their worker takes it
 * and does nothing, and the library learns of its end.
 */
import { countJobs } from "../load/accounts.ts";
import { runByTurns } from "../load/by-turns.ts";
import { asContestant, checkSubmits, nextRun, openLoaded } from "../load/klieg-load.ts";
import { type LoadOptions, loadOptions, quickLoad, readLoadOptions } from "../load/load-options.ts";
import { writeFollowedSubmits } from "../load/requests.ts";
import { choosePeers } from "../peers/http-peers.ts";
import { queuePeerNames, runQueuePeers } from "../peers/queue-peers.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

export const endToEnd: Scenario = {
  question: "How many jobs a second from submit to succeeded, each waited for by its client?",
  excludes: "the work of real models: a job here ends at once",
  options: loadOptions,
  quick: quickLoad,
  plan: (args) => {
    const options = readLoadOptions(args);
    choosePeers(options.peers, queuePeerNames);
    return (setting) => measure(options, setting);
  },
};

async function measure(options: LoadOptions, setting: Setting): Promise<Finding> {
  const { profile } = options;
  const loaded = await openLoaded(setting, options.accounts);
  const { accounts, host, subject } = loaded;
  const before = await countJobs(accounts);
  const requests = () => writeFollowedSubmits(accounts, host, nextRun());
  const klieg = asContestant(loaded, { requests, unit: "job", requestsEach: 2 });
  const { series, totals } = await runByTurns([klieg], profile, setting.say);
  const own = totals.get("klieg");
  if (own === undefined) throw new Error("Klieg took part.");
  const check = await checkSubmits(loaded, before, own, 2, profile);
  const names = setting.isRemote ? [] : choosePeers(options.peers, queuePeerNames);
  const peers = await runQueuePeers(names, profile, subject.folder, setting);
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
