import type { Catalogue } from "./catalogue.ts";
import { readCatalogue } from "./catalogue-files.ts";
import type { ProviderConfig } from "./provider-config.ts";
import { readProviders } from "./provider-file.ts";
import type { Settings } from "./settings.ts";

/** What an operator may change while the service runs, read together: each names the other. */
export interface Configuration {
  readonly catalogue: Catalogue;
  /** With their secrets. */
  readonly providers: readonly ProviderConfig[];
}

/** Throws `ProviderFileError` and `CatalogueError`. */
export function readConfiguration(
  {
    modelFiles,
    providersFile,
    simulatedModels,
  }: Pick<Settings, "modelFiles" | "providersFile" | "simulatedModels">,
  environment: Readonly<Record<string, string | undefined>>,
): Configuration {
  const providers = readProviders(providersFile, environment);
  return { catalogue: readCatalogue(modelFiles, { simulatedModels, providers }), providers };
}
