/** A configured provider in the test's own process that takes every job and never ends one. */
import { join } from "node:path";
import type { Test } from "tap";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import type { Health, Provider } from "../../providers/provider.ts";
import { plainModel } from "../actors/models.ts";

export interface QuietProvider extends Provider {
  /** Health of the provider from now on. */
  is: Health;
  /** Prompts that were submitted, and how often jobs were read. */
  readonly prompts: unknown[];
  reads: number;
}

export const farModel = {
  ...plainModel,
  id: "far",
  aliases: [],
  default_for: [],
  provider: "fal",
  provider_model: "fal-ai/flux/dev",
  mapping: { prompt: "$prompt" },
};

/** Options of a service with the quiet provider, by the name `fal`, for the model `far`. */
export function configureQuiet(t: Test) {
  const provider = openQuiet();
  const fal = { name: "fal", adapter: "fal", url: "https://queue.fal.test" };
  const dated = { version: "far", updated_at: "2026-11-20T00:00:00Z" };
  const folder = t.testdir({
    "providers.json": JSON.stringify({ providers: [{ ...fal, key: { env: "FAL_KEY" } }] }),
    "models.json": JSON.stringify({ ...dated, models: [farModel] }),
  });
  return {
    provider,
    options: {
      modelFiles: ["shipped", join(folder, "models.json")],
      providersFile: join(folder, "providers.json"),
      environment: { FAL_KEY: "s3cr3t" },
      openProvider: (_: ProviderConfig) => provider,
    },
  };
}

function openQuiet(): QuietProvider {
  const running = { state: "running" } as const;
  const provider: QuietProvider = {
    is: "up",
    prompts: [],
    reads: 0,
    describe: () => ({
      name: "fal",
      isInProcess: false,
      idempotentSubmit: false,
      cancel: "any",
      callback: "signed",
      progress: false,
      reportsBilling: true,
    }),
    async submit({ job, input }) {
      provider.prompts.push(input["prompt"]);
      return { kind: "accepted", ref: job, status: running };
    },
    async status() {
      provider.reads++;
      return running;
    },
    result: async () => ({ files: [] }),
    cancel: async () => ({ kind: "cancelled" }),
    verifyCallback: async () => ({ ok: false }),
    health: async () => provider.is,
  };
  return provider;
}
