/** How many quotes per second? */
import { runByTurns } from "../load/by-turns.ts";
import { asContestant, openLoaded, sampleAnswer } from "../load/klieg-load.ts";
import { type LoadOptions, loadOptions, quickLoad, readLoadOptions } from "../load/load-options.ts";
import { writePost } from "../load/requests.ts";
import { choosePeers, openHttpPeers } from "../peers/http-peers.ts";
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
  options: loadOptions,
  quick: quickLoad,
  plan: (args) => {
    const options = readLoadOptions(args);
    choosePeers(options.peers, peerNames);
    return (setting) => measure(options, setting);
  },
};

async function measure(options: LoadOptions, setting: Setting): Promise<Finding> {
  const loaded = await openLoaded(setting, options.accounts);
  const { subject, accounts, host } = loaded;
  const answer = await sampleAnswer(loaded, "/v1/jobs/cost", body);
  const names = choosePeers(options.peers, peerNames);
  const opened = await openHttpPeers(names, { setting, folder: subject.folder, body: answer });
  try {
    const texts = accounts.map(({ token }) => writePost("/v1/jobs/cost", host, token, body));
    const load = { requests: () => ({ kind: "random", texts }) as const, unit: "quote" };
    const contestants = [
      asContestant(loaded, load),
      ...opened.peers.map((p) => ({ ...p, ...load })),
    ];
    const { series, totals } = await runByTurns(contestants, options.profile, setting.say);
    const { refused = 1, broken = 1 } = totals.get("klieg") ?? {};
    const lines = [`quotes refused ${refused}, broken ${broken}`, ...opened.lines];
    return { isSound: refused + broken === 0, series, lines };
  } finally {
    await opened.close();
  }
}
