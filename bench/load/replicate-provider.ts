/**
 * A provider on this machine that speaks Replicate's protocol, and what a service has to be told of
 * it. It runs within the bench, so its processor time is the load generator's.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openReplicate } from "../../test/providers/real-time.ts";
import type { Call } from "../../test/providers/simulator.ts";

export interface BenchProvider {
  /** Calls that the provider got, in their order. */
  readonly journal: readonly Call[];
  /** Names the provider and its model to the service that is started with it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** The provider's one model, in the catalogue and at the provider. */
export const providerModel = "slow";

export interface ProviderWishes {
  /** Whether the provider calls back when a job has ended; otherwise it is read regularly. */
  readonly callsBack: boolean;
  /** Called before a call is answered. */
  readonly beforeAnswer?: () => Promise<void>;
}

export async function openProvider({
  callsBack,
  beforeAnswer,
}: ProviderWishes): Promise<BenchProvider> {
  const simulator = await openReplicate(async (_, moment) => {
    if (moment === "before") await beforeAnswer?.();
  });
  const folder = await mkdtemp(join(tmpdir(), "klieg-bench-"));
  const [providersFile, modelsFile] = [join(folder, "providers.json"), join(folder, "models.json")];
  const { url, key, journal } = simulator;
  // Results lie at an address of this machine, from which nothing is fetched otherwise.
  const own = { name: "slow", adapter: "replicate", url, allow_private: true };
  const provider = { ...own, key: { env: "SLOW_KEY" } };
  await writeFile(providersFile, JSON.stringify({ providers: [provider] }));
  await writeFile(modelsFile, JSON.stringify(catalogueOf(callsBack)));
  return {
    journal,
    environment: { SLOW_KEY: key, KLIEG_PROVIDERS: providersFile, KLIEG_MODELS: modelsFile },
    close: async () => {
      simulator.close();
      await rm(folder, { recursive: true });
    },
  };
}

function catalogueOf(callback: boolean) {
  const model = {
    id: providerModel,
    aliases: [],
    display_name: "Slow",
    description: "",
    modality: "image",
    operations: ["generate"],
    status: "available",
    plans: [],
    defaults: {},
    limits: { prompt_max: 100, "image.num_images_max": 1 },
    options: {},
    capabilities: {},
    prompt_required: true,
    provider_options: false,
    default_for: [],
    price: { base: 1, per: {}, multipliers: {}, minimum: 0 },
    typical_seconds: 600,
    deadline_seconds: 3_600,
    inline_submit_ms: 0,
    callback,
    provider: "slow",
    provider_model: "kites/slow",
    mapping: { prompt: "$prompt" },
  };
  return { version: "bench", updated_at: "2026-11-20T00:00:00Z", models: [model] };
}
