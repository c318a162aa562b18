/**
 * How many reads of a job a second, when its row is in memory and when it is not? `hot` reads few
 * of the newest jobs, `beyond` reads more than the caches hold at random, and `cold` does that
 * right after a restart, so that no cache has anything.
 */
import { type LoadTarget, runByTurns } from "../load/by-turns.ts";
import {
  fillStore,
  type Loaded,
  listProcesses,
  openLoaded,
  sampleAnswer,
  writeReads,
} from "../load/klieg-load.ts";
import {
  type LoadOptions,
  loadDefaults,
  loadOptions,
  type PeerLoadOptions,
  peersOption,
  quickLoad,
} from "../load/load-options.ts";
import { chooseNames, readOptions } from "../options.ts";
import { type HttpPeerName, openHttpPeers } from "../peers/http-peers.ts";
import type { Finding, Series } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

const peerNames = ["bare-uws"] as const;
const hotJobs = 10_000;

interface Options extends PeerLoadOptions<HttpPeerName> {
  readonly jobs: number;
}

export const read: Scenario = {
  question: "How many reads of finished jobs a second: hot, beyond the caches, cold?",
  excludes: "reads of jobs that change meanwhile; the disk's own cache stays warm",
  options: [...loadOptions, peersOption, "--jobs N         in the store (300000)"],
  quick: [...quickLoad, "--jobs", "60000"],
  plan: (args) => {
    const options = readOptions(args, { ...loadDefaults, jobs: 300_000, peers: undefined });
    const peers = chooseNames(options.peers, peerNames);
    return (setting) => measure({ ...options, peers }, setting);
  },
};

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const loaded = await openLoaded(setting, options.accounts);
  const { subject } = loaded;
  const jobs = await fillStore(loaded, options.jobs, setting.say);
  const [hot, all] = [await writeReads(loaded, hotJobs), await writeReads(loaded, jobs)];
  setting.say(`${all.length} jobs to read`);
  const path = /^GET (\S+)/.exec(hot[0] ?? "")?.[1] ?? "";
  const body = await sampleAnswer(loaded, path);
  const opened = await openHttpPeers(options.peers, { setting, folder: subject.folder, body });
  try {
    const own = (name: string, texts: readonly string[]): LoadTarget => ({
      ...createReader(texts),
      name,
      origin: subject.origin,
      processes: listProcesses(subject),
    });
    const warm: LoadTarget[] = [
      own("klieg, hot", hot),
      own("klieg, beyond", all),
      ...opened.peers.map((peer) => ({ ...peer, ...createReader(hot) })),
    ];
    const { series, totals } = await runByTurns(warm, options, setting.say);
    const cold = setting.isRemote ? [] : await readCold(loaded, all, options, setting);
    const wrong = [...totals.values()].reduce((sum, each) => sum + each.refused + each.broken, 0);
    return {
      isSound: wrong === 0,
      series: [...series.slice(0, 2), ...cold, ...series.slice(2)],
      lines: [`jobs in the store: ${jobs}; reads refused or broken: ${wrong}`, ...opened.lines],
    };
  } finally {
    await opened.close();
  }
}

const createReader = (texts: readonly string[]) => ({
  requests: () => ({ kind: "random", texts }) as const,
  unit: "read",
});

/** Each round begins with a restart and there is no warm-up, so that the first reads count. */
async function readCold(
  { subject }: Loaded,
  texts: readonly string[],
  options: LoadOptions,
  { say }: Setting,
): Promise<Series[]> {
  await subject.restart();
  say("restarted for cold reads");
  const target = {
    ...createReader(texts),
    name: "klieg, cold",
    origin: subject.origin,
    processes: listProcesses(subject),
  };
  const profile = { ...options, rounds: 1, warmUpSeconds: 0 };
  return [...(await runByTurns([target], profile, say)).series];
}
