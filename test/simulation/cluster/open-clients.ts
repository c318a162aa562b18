import type { Clients } from "./clients.ts";
import { ProductClients } from "./product-clients.ts";
import { ToyClients } from "./toy-clients.ts";

/** Counters show the engine's faults soonest; every third seed runs the product. */
export function openClients(seed: number): Clients {
  return seed % 3 === 0 ? new ProductClients() : new ToyClients();
}
