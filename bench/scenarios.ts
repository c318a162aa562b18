/** All scenarios by their names on the command line, in the order in which `all` runs them. */
import type { Scenario } from "./scenario.ts";
import { callbacks } from "./scenarios/callbacks.ts";
import { consoleBars } from "./scenarios/console.ts";
import { endToEnd } from "./scenarios/end-to-end.ts";
import { exporting } from "./scenarios/exports.ts";
import { remoteNodes } from "./scenarios/farm.ts";
import { growth } from "./scenarios/growth.ts";
import { hostile } from "./scenarios/hostile.ts";
import { latency } from "./scenarios/latency.ts";
import { list } from "./scenarios/list.ts";
import { mixed } from "./scenarios/mixed.ts";
import { nodes } from "./scenarios/nodes.ts";
import { providers } from "./scenarios/providers.ts";
import { quote } from "./scenarios/quote.ts";
import { read } from "./scenarios/read.ts";
import { render } from "./scenarios/render.ts";
import { replicated } from "./scenarios/replicated.ts";
import { restart } from "./scenarios/restart.ts";
import { scale } from "./scenarios/scale.ts";
import { share } from "./scenarios/share.ts";
import { stills } from "./scenarios/stills.ts";
import { streams } from "./scenarios/streams.ts";
import { submit } from "./scenarios/submit.ts";
import { sustained } from "./scenarios/sustained.ts";
import { wait } from "./scenarios/wait.ts";

export const scenarios: Readonly<Record<string, Scenario>> = {
  submit,
  "end-to-end": endToEnd,
  latency,
  mixed,
  quote,
  read,
  list,
  wait,
  streams,
  sustained,
  restart,
  growth,
  scale,
  replicated,
  providers,
  callbacks,
  render,
  stills,
  exports: exporting,
  nodes,
  farm: remoteNodes,
  share,
  hostile,
  console: consoleBars,
};
