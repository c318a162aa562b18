/** What is made for one submission: its links, and the mapping filled in from the request. */

import type { Objects } from "../../engine/ports/objects.ts";
import type { LinkQuestion, Links } from "./effects-messages.ts";
import type { Prepare } from "./provider-submits.ts";
import type { Providers } from "./providers.ts";

export interface PreparePorts {
  readonly providers: Providers;
  readonly objects: Objects;
  /** Of the thread that can sign. */
  readonly links: (question: LinkQuestion) => Promise<Links>;
}

export function prepareWith(ports: PreparePorts): Prepare {
  return async (job) => {
    const { provider, job: id } = job.task;
    if (job.at.gate === undefined) return { input: {}, model: "", callbackUrl: undefined };
    const model = ports.providers.modelOf(job.task.model ?? "");
    const links = await ports.links({ provider, job: id, number: job.submits, objectKeys: [] });
    return {
      input: {},
      model: model?.provider_model ?? "",
      callbackUrl: job.hasCallback ? links.callbackUrl : undefined,
    };
  };
}
