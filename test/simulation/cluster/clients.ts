import type { Domain } from "../../../engine/domain.ts";
import type { SimCluster } from "./sim-cluster.ts";
import type { Work, WorkParts } from "./surroundings.ts";

/** Who uses a simulated cluster, and remembers what it was told. */
export interface Clients {
  readonly domain: Domain;
  openWork(parts: WorkParts): Work;
  /** Once, before anything happens. */
  join(cluster: SimCluster): void;
  /** Sends one command or reads, by any node that runs; at least one does. */
  act(): void;
  /** What is broken when faults have ceased and all is done; undefined for nothing. */
  wrongAtEnd(): Promise<string | undefined>;
}
