/** The runners of models, one of which each catalogue entry and each job's terms name. */

/** This service's own render farm, which is not a provider behind the port. */
const farm = "farm";

/** The provider that runs the `sim-*` models of load tests. */
export const simulatedProvider = "sim";

/** The value in `KLIEG_MODELS` for the catalogue that is shipped with the service. */
export const shippedModels = "shipped";

export function isFarm(name: string): boolean {
  return name === farm;
}

/** Whether the provider is reached over the network, by an adapter and a mapping. */
export function isRemote(name: string): boolean {
  return name !== farm && name !== simulatedProvider;
}

/** Lists the providers that need no configuration. */
export function ownProviders(simulatedModels: boolean): readonly string[] {
  return simulatedModels ? [farm, simulatedProvider] : [farm];
}
