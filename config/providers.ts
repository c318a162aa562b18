/** Who runs models. A catalogue's entry and a job's terms name one of them. */

/** The render farm of this service, which is no provider behind the port. */
const farm = "farm";

/** Runs the `sim-*` models of load tests. */
export const simulatedProvider = "sim";

/** In `KLIEG_MODELS`, the catalogue that comes with the service. */
export const shippedModels = "shipped";

export function isFarm(name: string): boolean {
  return name === farm;
}

/** Whether it is reached over the network, by an adapter and a mapping. */
export function isRemote(name: string): boolean {
  return name !== farm && name !== simulatedProvider;
}

/** Those that need no configuration. */
export function ownProviders(simulatedModels: boolean): readonly string[] {
  return simulatedModels ? [farm, simulatedProvider] : [farm];
}
