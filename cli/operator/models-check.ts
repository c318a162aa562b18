/** `klieg models check`: reads catalogue and providers as the service does at its start. */
import { parseArgs } from "node:util";
import { count } from "../../actors/count.ts";
import type { ModelEntry } from "../../config/catalogue.ts";
import type { ProviderConfig } from "../../config/providers/provider-config.ts";
import type { Health } from "../../providers/provider.ts";
import { type Command, CommandError, type Session } from "../command.ts";
import { table } from "./table.ts";

export const modelsCheck: Command = {
  name: "models check",
  usage: "[--live]",
  summary: "Check KLIEG_MODELS and KLIEG_PROVIDERS together.",
  options: ["--live   ask each provider for its health"],
  async run(args, { surveyConfiguration, openProvider, terminal }) {
    const { values } = parseArgs({ args: [...args], options: { live: { type: "boolean" } } });
    const { catalogue, providers, faults } = await surveyConfiguration();
    const healthByName =
      values.live === true ? await askHealth(providers, openProvider) : undefined;
    const lines = [
      ...table(
        ["PROVIDER", "ADAPTER", "AT", "HEALTH"],
        providers.map((one) => show(one, healthByName)),
      ),
      ...table(
        ["MODEL", "MODALITY", "PROVIDER", "RUNS", "CALLS BACK"],
        catalogue.models.map(listModelCells),
      ),
    ];
    for (const line of lines) terminal.print(line);
    const down = [...(healthByName ?? [])].filter(([, health]) => health === "down");
    const sentences = [
      ...faults.map(({ message }) => message),
      ...down.map(([name]) => `The provider ${name} cannot be reached; check its url and key.`),
    ];
    for (const sentence of sentences) terminal.print(sentence);
    if (sentences.length > 0) throw new CommandError(`${count(sentences.length, "fault")} found.`);
    terminal.say("All models and providers are usable.\n");
  },
};

/** Returns the health of each provider by its name. */
export async function askHealth(
  configs: readonly ProviderConfig[],
  openProvider: Session["openProvider"],
): Promise<ReadonlyMap<string, Health>> {
  const answers = configs.map(async (config) => {
    const provider = await openProvider(config);
    const health = await provider.health();
    provider.close?.();
    return [config.name, health] as const;
  });
  return new Map(await Promise.all(answers));
}

function show(
  { name, adapter, urls }: ProviderConfig,
  healthByName: ReadonlyMap<string, Health> | undefined,
): string[] {
  return [name, adapter, urls.join(" "), healthByName?.get(name) ?? "not asked"];
}

function listModelCells({
  id,
  modality,
  provider,
  provider_model,
  callback,
}: ModelEntry): string[] {
  return [id, modality, provider, provider_model || "its mapping", callback ? "yes" : "no"];
}
