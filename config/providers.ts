/** Who runs models. A catalogue's entry and a job's terms name one of them. */

/** The render farm of this service, which is no provider behind the port. */
const farm = "farm";

/** Runs the `sim-*` models of load tests. */
export const simulatedProvider = "sim";

export function isFarm(name: string): boolean {
  return name === farm;
}

/** The names that a catalogue may use. */
export function configuredProviders(settings: {
  readonly simulatedModels: boolean;
}): readonly string[] {
  return settings.simulatedModels ? [farm, simulatedProvider] : [farm];
}
