import type { Domain } from "../../../engine/domain.ts";
import type { SimCluster } from "./sim-cluster.ts";
import type { Work, WorkParts } from "./surroundings.ts";

/** Clients of a simulated cluster that remember every answer. */
export interface Clients {
  readonly domain: Domain;
  openWork(parts: WorkParts): Work;
  /** Called once, before anything happens. */
  join(cluster: SimCluster): void;
  /** Sends one command or read through any running node; at least one runs. */
  act(): void;
  /** Returns what is broken after faults have ceased and all is done, or undefined. */
  wrongAtEnd(): Promise<string | undefined>;
}
