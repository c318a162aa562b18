/** How many quotes per second? */
import { runByTurns } from "../load/by-turns.ts";
import { asTarget, openLoaded, sampleAnswer } from "../load/klieg-load.ts";
import {
  loadDefaults,
  loadOptions,
  type PeerLoadOptions,
  peersOption,
  quickLoad,
} from "../load/load-options.ts";
import { writePost } from "../load/requests.ts";
import { chooseNames, readOptions } from "../options.ts";
import { type HttpPeerName, openHttpPeers } from "../peers/http-peers.ts";
import type { Finding } from "../report/result.ts";
import type { Scenario, Setting } from "../scenario.ts";

const peerNames = ["bare-uws"] as const;
const body = JSON.stringify({
  kind: "image",
  image: { model: "sim-instant", prompt: "a red kite over dunes at dusk" },
});

export const quote: Scenario = {
  question: "How many quotes of a price a second?",
  excludes: "submits with the token that a quote carries",
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
  const answer = await sampleAnswer(loaded, "/v1/jobs/cost", body);
  const opened = await openHttpPeers(options.peers, {
    setting,
    folder: subject.folder,
    body: answer,
  });
  try {
    const texts = accounts.map(({ token }) => writePost("/v1/jobs/cost", host, token, body));
    const load = { requests: () => ({ kind: "random", texts }) as const, unit: "quote" };
    const targets = [asTarget(loaded, load), ...opened.peers.map((p) => ({ ...p, ...load }))];
    const { series, totals } = await runByTurns(targets, options, setting.say);
    const { refused = 1, broken = 1 } = totals.get("klieg") ?? {};
    const lines = [`quotes refused ${refused}, broken ${broken}`, ...opened.lines];
    return { isSound: refused + broken === 0, series, lines };
  } finally {
    await opened.close();
  }
}
