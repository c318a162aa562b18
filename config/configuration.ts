import type { Catalogue } from "./catalogue.ts";
import { surveyCatalogue } from "./catalogue-files.ts";
import type { ProviderConfig } from "./providers/provider-config.ts";
import { surveyProviders } from "./providers/provider-file.ts";
import type { Settings } from "./settings.ts";

/** What an operator may change at run time, read together because the parts name each other. */
export interface Configuration {
  readonly catalogue: Catalogue;
  /** Providers as configured, including their secrets. */
  readonly providers: readonly ProviderConfig[];
}

type Sources = Pick<Settings, "modelFiles" | "providersFile" | "simulatedModels">;
type Environment = Readonly<Record<string, string | undefined>>;

/** Reads catalogue and providers; throws `ProviderFileError` and `CatalogueError`. */
export function readConfiguration(sources: Sources, environment: Environment): Configuration {
  const { faults, ...configuration } = surveyConfiguration(sources, environment);
  if (faults[0] !== undefined) throw faults[0];
  return configuration;
}

/** Returns everything that is valid, and all faults; each fault's message is a sentence. */
export function surveyConfiguration(
  { modelFiles, providersFile, simulatedModels }: Sources,
  environment: Environment,
): Configuration & { readonly faults: readonly Error[] } {
  const { providers, faults, faulty } = surveyProviders(providersFile, environment);
  const runners = { simulatedModels, providers, faulty };
  const survey = surveyCatalogue(modelFiles, runners);
  return { catalogue: survey.catalogue, providers, faults: [...faults, ...survey.faults] };
}
