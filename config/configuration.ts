import type { Catalogue } from "./catalogue.ts";
import { surveyCatalogue } from "./catalogue-files.ts";
import type { ProviderConfig } from "./provider-config.ts";
import { surveyProviders } from "./provider-file.ts";
import type { Settings } from "./settings.ts";

/** What an operator may change while the service runs, read together: each names the other. */
export interface Configuration {
  readonly catalogue: Catalogue;
  /** With their secrets. */
  readonly providers: readonly ProviderConfig[];
}

type Sources = Pick<Settings, "modelFiles" | "providersFile" | "simulatedModels">;
type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `ProviderFileError` and `CatalogueError`. */
export function readConfiguration(sources: Sources, environment: Environment): Configuration {
  const { faults, ...configuration } = surveyConfiguration(sources, environment);
  if (faults[0] !== undefined) throw faults[0];
  return configuration;
}

/** All that is right and all that is wrong; each fault's message is a sentence. */
export function surveyConfiguration(
  { modelFiles, providersFile, simulatedModels }: Sources,
  environment: Environment,
): Configuration & { readonly faults: readonly Error[] } {
  const { providers, faults, faulty } = surveyProviders(providersFile, environment);
  const runners = { simulatedModels, providers, faulty };
  const survey = surveyCatalogue(modelFiles, runners);
  return { catalogue: survey.catalogue, providers, faults: [...faults, ...survey.faults] };
}
