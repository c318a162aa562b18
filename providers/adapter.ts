/** The parts that an adapter is built from; each adapter exports one function of this type. */
import type { ProviderConfig } from "../config/providers/provider-config.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Entropy } from "../engine/ports/entropy.ts";
import type { Web } from "../engine/ports/web.ts";
import type { Provider } from "./provider.ts";

export interface AdapterPorts {
  readonly web: Web;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

export type OpenAdapter = (config: ProviderConfig, ports: AdapterPorts) => Provider;
